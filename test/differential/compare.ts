import * as fc from "fast-check";
import fixture from "../../fixtures/realistic-commands.json" with { type: "json" };
import { BUILTINS_THAT_ARE_PROGRAMS, isBuiltin } from "../../src/analysis/shell-words.ts";
import type { SimpleCommand } from "../../src/analysis/tokenize.ts";
import { expectedRuns } from "./expected-runs.ts";
import type { Recorded, RecordingShell } from "./recording-shell.ts";
import { texts } from "./texts.ts";

/** A reader under test: the commands of a text, or `null` for a text that it refuses. */
export type Reader = (text: string, shell: string) => readonly SimpleCommand[] | null;

export interface Disagreement {
  readonly shell: string;
  readonly text: string;
  readonly planned: readonly (readonly string[])[];
  readonly ran: Recorded;
}

export interface Report {
  readonly generated: number;
  readonly accepted: number;
  readonly disagreements: readonly Disagreement[];
}

export interface Options {
  readonly seed: number;
  readonly count: number;
  readonly withinMs: number;
  /** The first few are enough to know. */
  readonly disagreementsMax?: number;
}

const BATCH_TEXTS = 2000;

/** Every text that the reader accepts must run, in every shell, exactly the commands that the reader found. */
export async function compare(read: Reader, shells: readonly RecordingShell[], options: Options): Promise<Report> {
  const { seed, count, withinMs, disagreementsMax = 5 } = options;
  const until = performance.now() + withinMs;
  const arbitrary = texts(fixture.commands.map(({ command }) => command));
  const disagreements: Disagreement[] = [];
  let generated = 0;
  let accepted = 0;
  for (let batch = 0; generated < count && performance.now() < until; batch += 1) {
    const sample = fc.sample(arbitrary, { numRuns: Math.min(BATCH_TEXTS, count - generated), seed: seed + batch });
    generated += sample.length;
    const played = await Promise.all(
      shells.map(async (shell) => {
        const readable = sample.flatMap((text) => readableIn(shell, text, read));
        return { count: readable.length, found: await disagreementsIn(shell, readable) };
      }),
    );
    accepted += Math.max(...played.map((each) => each.count));
    disagreements.push(...played.flatMap((each) => each.found));
    if (disagreements.length >= disagreementsMax) break;
  }
  return { generated, accepted, disagreements: disagreements.slice(0, disagreementsMax) };
}

interface Readable {
  readonly text: string;
  readonly commands: readonly SimpleCommand[];
}

/** Nothing, for a text that is refused or that this shell could not record. */
function readableIn(shell: RecordingShell, text: string, read: Reader): readonly Readable[] {
  const commands = read(text, shell.name);
  if (commands === null || commands.some(({ argv: [name] }) => isOwn(name, shell))) return [];
  // bash writes a record line by line, so two sides of a pipe could mix theirs.
  const mixes = isSideBySide(commands) && commands.some(({ argv }) => argv.some((word) => word.includes("\n")));
  return mixes ? [] : [{ text, commands }];
}

/** The shell does with a builtin whatever it does, and no list covers that; `[` and its like cannot be replaced in every shell. */
function isOwn(name: string, shell: RecordingShell): boolean {
  return isBuiltin(name, shell.name) || BUILTINS_THAT_ARE_PROGRAMS.has(name) || !shell.plays(name);
}

/** What `|` and `&` join runs side by side, so the recorder's order is not the text's. */
function isSideBySide(commands: readonly SimpleCommand[]): boolean {
  return commands.some(({ operator }) => operator === "|" || operator === "&");
}

async function disagreementsIn(shell: RecordingShell, readable: readonly Readable[]): Promise<readonly Disagreement[]> {
  const disagreements: Disagreement[] = [];
  // A text that ends the shell hides those after it: it is counted, and the rest is played again.
  for (let rest = readable; rest.length > 0; ) {
    const recorded = await shell.record(rest.map(({ text }) => text));
    const ended = recorded.findIndex((runs) => runs === null);
    const played = ended < 0 ? rest : rest.slice(0, ended + 1);
    for (const [index, { text, commands }] of played.entries()) {
      const ran = recorded[index] ?? null;
      const planned = expectedRuns(commands, (name) => shell.endingOf(name));
      if (!agree(commands, planned, ran)) disagreements.push({ shell: shell.name, text, planned, ran });
    }
    rest = ended < 0 ? [] : rest.slice(ended + 1);
  }
  return disagreements;
}

function agree(commands: readonly SimpleCommand[], planned: readonly (readonly string[])[], ran: Recorded): boolean {
  if (ran === null) return false;
  const sideBySide = isSideBySide(commands);
  const lines = (list: readonly (readonly string[])[]): string => {
    const all = list.map((argv) => JSON.stringify(argv));
    return (sideBySide ? all.sort() : all).join("\n");
  };
  return lines(planned) === lines(ran);
}
