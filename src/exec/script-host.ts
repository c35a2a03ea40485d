/** How each interpreter is given a script as a descriptor while the script goes on seeing what it would see under its own name. */
import type { Program } from "../analysis/machine.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";

export interface ScriptUse {
  readonly program: Program;
  readonly argv: readonly string[];
  /** Where the script stands in argv. */
  readonly index: number;
  readonly bytes: Uint8Array;
  /** Where it really lies. */
  readonly path: AbsolutePath;
  /** The path under which the child finds the sealed bytes. */
  readonly descriptor: string;
}

export interface Hosted {
  readonly argv: readonly string[];
  /** What the descriptor holds instead of the script's own bytes; `null` for just those. */
  readonly content: Uint8Array | null;
}

/** `null` where the script would notice: it is then run by its own path, and the run says that it was only checked. */
export function hostScript(_use: ScriptUse): Hosted | null {
  return null;
}
