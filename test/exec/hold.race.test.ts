import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { planCommand } from "../../src/analysis/plan-command.ts";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { type Argv, toArgv } from "../../src/core/argv.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { createChildren } from "../../src/exec/child.ts";
import { type HeldFile, heldBehind } from "../../src/exec/held.ts";
import { createHold } from "../../src/exec/hold.ts";
import { loadNative } from "../../src/native/libc.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

/** Each runs in a process of its own, as fast as it can, until it is killed. `good`, `evil` and `it` lie in its working directory. */
const ATTACKERS = {
  "writes in place": `for (;;) { fs.writeFileSync("it", good); fs.writeFileSync("it", evil); }`,
  "renames over it": `for (;;) { fs.writeFileSync("new", good, exec); fs.renameSync("new", "it"); fs.writeFileSync("new", evil, exec); fs.renameSync("new", "it"); }`,
  "puts a link there": `for (;;) { fs.symlinkSync("evil", "new"); fs.renameSync("new", "it"); fs.copyFileSync("good", "new"); fs.renameSync("new", "it"); }`,
} as const;

const native = loadNative();
const MOST_MS = 5_000;

let scratch: Scratch;
let attacker: ChildProcess | null = null;
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(async () => {
  await ended(attacker);
  scratch.remove();
});

function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null) return Promise.resolve();
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGKILL");
  return gone;
}

function absolute(text: string): AbsolutePath {
  const path = parseAbsolutePath(text);
  if (!path.ok) throw new Error("not absolute");
  return path.value;
}

function attack(code: string, cwd: string): ChildProcess {
  const prelude = `const fs = require("node:fs"); const good = fs.readFileSync("good"), evil = fs.readFileSync("evil"), exec = { mode: 0o755 };`;
  // What a lease or another attacker's step makes fail is tried again: an attacker does not give up.
  const stubborn = `${prelude} for (;;) try { ${code} } catch {}`;
  return spawn(process.execPath, ["-e", stubborn], { cwd, stdio: "ignore" });
}

function contentOf({ fd, bytes }: HeldFile): Buffer {
  const room = Buffer.alloc(bytes + 1);
  return room.subarray(0, readSync(fd, room, 0, room.length, 0));
}

/** A script and a program, each in two versions of one size: a torn mixture would be neither. */
function plantBoth(kind: "script" | "program", directory: string): Argv {
  mkdirSync(directory);
  if (kind === "script") {
    for (const name of ["good", "evil", "it"]) writeFileSync(join(directory, name), `# ${name.padEnd(4)}\n`.repeat(2_000));
  } else {
    for (const name of ["good", "it"]) copyFileSync(realpathSync("/bin/true"), join(directory, name));
    copyFileSync(realpathSync("/bin/false"), join(directory, "evil"));
  }
  for (const name of ["good", "evil", "it"]) chmodSync(join(directory, name), 0o755);
  const argv = toArgv(kind === "script" ? ["sh", "it"] : ["./it"]);
  if (argv === null) throw new Error("an empty argv");
  return argv;
}

describe.runIf(native !== null)("under an attacker of the same user (needs native code)", () => {
  const rows = Object.entries(ATTACKERS).flatMap(([how, code]) =>
    (["script", "program"] as const).map((kind) => [kind, how, code] as const),
  );

  test.each(rows)("what is held of a %s is what its hash says, while somebody %s", async (kind, _how, code) => {
    const work = absolute(join(realpathSync(scratch.path), "work"));
    const argv = plantBoth(kind, work);
    const children = createChildren({ atStart: { HOME: work, PATH: "/usr/bin:/bin" }, stateDirectory: work, native });
    const holding = createHold({ children, native, leasesHold: true });
    attacker = attack(code, work);
    const seen = new Set<string>();
    const outcomes = { held: 0, lost: 0, refused: 0 };
    const untilMs = performance.now() + MOST_MS;
    while (performance.now() < untilMs && !(seen.size > 1 && outcomes.held > 400)) {
      const child = children.childOf(EXEC_SETTINGS_DEFAULT);
      const plan = child.ok ? planCommand({ form: { kind: "argv", argv }, cwd: work, hasStdin: false }, child.value.machine) : child;
      const evidence = plan.ok ? await holding.hold(plan.value, EXEC_SETTINGS_DEFAULT) : plan;
      if (!evidence.ok) {
        outcomes.refused += 1;
        continue;
      }
      for (const file of heldBehind(evidence.value)?.files.values() ?? []) {
        if (file.kept === "permission") continue;
        expect(["seal", "lease"]).toContain(file.kept);
        const content = contentOf(file);
        const isWhole = file.kept === "seal" || native?.holdsReadLease(file.fd) === true;
        // A lease that was broken meanwhile proves nothing, and launch() starts nothing on it.
        if (isWhole) expect(sha256Of(content)).toBe(file.sha256);
        seen.add(file.sha256);
        outcomes[isWhole ? "held" : "lost"] += 1;
      }
      holding.release(evidence.value);
    }
    holding.stop();
    // Otherwise the attacker never came to anything.
    expect(seen.size, JSON.stringify(outcomes)).toBeGreaterThan(1);
    expect(outcomes.held).toBeGreaterThan(10);
  });
});
