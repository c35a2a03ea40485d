import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Denial } from "../core/denial.ts";
import type { Result } from "../core/result.ts";
import type { Refusal, Segment } from "./command-plan.ts";
import type { Machine, Program } from "./machine.ts";
import type { BoundFile } from "./operands.ts";
import type { Operator, Step } from "./step.ts";

/** One simple command, seen through to what it would really start. */
export interface Looked {
  /** The last one's operator is left to whoever joined the command to others. */
  readonly segments: readonly Segment[];
  readonly judged: Step;
  /** As written; `null` when only a shell could run it. */
  readonly requested: Step | null;
  /** The program as written, then those it was seen through to. */
  readonly programs: readonly Program[];
  /** By place in this argv. */
  readonly files: readonly BoundFile[];
  readonly unbound: readonly string[];
  /** Start-up files of shells around it, in the words of `CommandPlan.startup`. */
  readonly startup: readonly string[];
}

/** Why there is no answer: the machine lacks something, or a text inside cannot be read. */
export type Stop =
  | { readonly kind: "denial"; readonly denial: Denial }
  | { readonly kind: "refusal"; readonly refusal: Refusal; readonly programs: readonly Program[] };

export interface LookContext {
  readonly machine: Machine;
  readonly cwd: AbsolutePath;
  readonly piped: boolean;
  /** How many wrappers, shells and package runners lie around this command. */
  readonly depth: number;
  /** A text inside a command is read like a text on its own; handed down, because each of the two needs the other. */
  readonly readText: (text: string, shell: string, context: LookContext) => Result<Chain, Stop>;
}

/** A whole text: its commands joined as it joins them, each seen through on its own. */
export interface Chain extends Looked {
  readonly operators: readonly Operator[];
}
