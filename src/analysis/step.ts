import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import type { Program } from "./machine.ts";

/**
 * What the daemon's own executor starts, as a tree: no shell reads judged text again, so nothing can parse it differently.
 * A chain inside a chain is a shell's `-c` text that was looked through, and keeps its grouping: `x || sh -c 'a; b'` is not `x || a; b`.
 */
export type Step = CommandStep | ChainStep | NothingStep;

export interface CommandStep {
  readonly kind: "command";
  readonly program: Program;
  /** argv[0] is what the child sees as its own name. */
  readonly argv: Argv;
  readonly cwd: AbsolutePath;
  /** Index into this argv of the operand whose bytes decide what runs, and where it really lies. */
  readonly script: { readonly index: number; readonly path: AbsolutePath } | null;
  /** A transparent wrapper (nice, timeout) that carries another program: its index in argv, so that the launcher can pin it too. */
  readonly carried: { readonly index: number; readonly program: Program } | null;
  /** What the `#!` line of the innermost program starts, in order; the launcher starts the last of them itself, on the bytes that were hashed. */
  readonly interpreters: readonly Program[];
}

export interface ChainStep {
  readonly kind: "chain";
  readonly parts: readonly ChainPart[];
}

export interface ChainPart {
  readonly step: Step;
  /** Joins this part to the next; the last part has `null`, or `&` when the text ended with it. */
  readonly operator: Operator | null;
}

/** The builtin `:`. */
export interface NothingStep {
  readonly kind: "nothing";
}

export type Operator = "|" | "&&" | "||" | ";" | "&";
