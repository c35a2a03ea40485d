/** Where the demo plays: a scratch directory with a home, a state directory and a project of its own. Nothing outside of it is touched. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Stage {
  readonly root: string;
  readonly home: string;
  readonly stateDir: string;
  readonly project: string;
  /** Two directories on the daemon's PATH, the first before the second. */
  readonly earlyBin: string;
  readonly lateBin: string;
  /** Made by a daemon that holds still between consumption and start. */
  readonly heldMark: string;
  readonly script: string;
  /** How often anything of the demo's really ran: every program of it leaves a line here. */
  runs(): number;
  remove(): void;
}

export function buildStage(): Stage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "countersign-demo-")));
  const at = (name: string): string => join(root, name);
  const [home, stateDir, project, earlyBin, lateBin] = ["home", "state", "project", "early", "late"].map(at);
  if (home === undefined || stateDir === undefined || project === undefined || earlyBin === undefined || lateBin === undefined) {
    throw new Error("five names give five paths");
  }
  for (const directory of [home, stateDir, project, earlyBin, lateBin]) mkdirSync(directory, { mode: 0o700 });
  const ledger = at("ran");
  writeFileSync(ledger, "");
  const script = join(project, "deploy.sh");
  writeProgram(script, scriptText(ledger));
  writeProgram(join(lateBin, "release"), scriptText(ledger));
  return {
    root,
    home,
    stateDir,
    project,
    earlyBin,
    lateBin,
    heldMark: at("held"),
    script,
    runs: () => readFileSync(ledger, "utf8").length,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function writeProgram(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** One byte a run, so that counting bytes is counting runs. */
function scriptText(ledger: string): string {
  return `#!/bin/sh\nprintf . >> '${ledger}'\necho "deployed $1"\n`;
}
