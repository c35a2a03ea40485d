import type { Program } from "../../analysis/machine.ts";
import type { AbsolutePath } from "../../core/absolute-path.ts";

/** A script that an interpreter is asked to run. */
export interface ScriptUse {
  readonly program: Program;
  readonly argv: readonly string[];
  /** Where the script stands in argv. */
  readonly index: number;
  readonly bytes: Uint8Array;
  /** Where it really lies. */
  readonly path: AbsolutePath;
  /** The number under which the child will hold the bytes. */
  readonly descriptor: number;
}

/** How to have it read from a descriptor instead. */
export interface Hosted {
  readonly argv: readonly string[];
  /** What the descriptor holds instead of the script's own bytes; `null` for just those. */
  readonly content: Uint8Array | null;
}

/** `null` where the script would notice. */
export type ScriptHost = (use: ScriptUse) => Hosted | null;

export function descriptorPath({ descriptor }: ScriptUse): string {
  return `/proc/self/fd/${descriptor}`;
}

/** The script as it was written in argv: what it sees as its own name. */
export function nameOf({ argv, index }: ScriptUse): string {
  return argv[index] ?? "";
}

/** The interpreter's own words before the script, without the `--` that ends them. */
export function wordsBefore({ argv, index }: ScriptUse): readonly string[] {
  const words = argv.slice(0, index);
  return words.length > 1 && (words.at(-1) === "--" || words.at(-1) === "-") ? words.slice(0, -1) : words;
}

/** Program text in place of the script, which follows as the first argument. */
export function asProgramText(use: ScriptUse, flag: string, text: string): readonly string[] {
  return [...wordsBefore(use), flag, text, ...use.argv.slice(use.index)];
}

export function withScriptAt(use: ScriptUse, path: string): readonly string[] {
  return [...use.argv.slice(0, use.index), path, ...use.argv.slice(use.index + 1)];
}

export function mentions({ bytes }: ScriptUse, words: readonly string[]): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return words.some((word) => text.includes(word));
}
