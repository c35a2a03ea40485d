/** What a command prints for people, at a terminal of a certain width and in a pipe. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { countersign } from "./countersign.ts";
import { MAIN } from "./program.ts";
import { scratchDirectory } from "./scratch.ts";
import { openScreen } from "./tmux.ts";

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const MARK = "=#=#=";

/** All of them in one terminal, one after the other: what each has printed, line by line as it was meant, however wide. */
export async function printedAt(
  columns: number,
  commands: readonly (readonly string[])[],
  { cwd, env }: Surroundings,
  options: { readonly colours?: boolean } = {},
): Promise<readonly string[]> {
  const scratch = scratchDirectory();
  const script = join(scratch.path, "all.sh");
  const lines = commands.map((words) => `echo '${MARK}'; ${[process.execPath, MAIN, ...words].map(quoted).join(" ")}`);
  writeFileSync(script, [`cd ${quoted(cwd)}`, ...lines, `echo '${MARK}'`, ""].join("\n"));
  const screen = openScreen(["sh", script], { columns, env });
  try {
    await screen.shows("ended with", 60_000);
    return screen
      .everything(options)
      .split(MARK)
      .slice(1, -1)
      .map((text) => text.replace(/^\n/, "").trimEnd());
  } finally {
    screen.close();
    scratch.remove();
  }
}

export async function printedInPipe(words: readonly string[], { cwd, env }: Surroundings): Promise<string> {
  const { stdout, stderr } = await countersign(words, { cwd, env });
  return stdout + stderr;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
