import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import type { Program } from "./machine.ts";
import type { Operator, Step } from "./step.ts";

/** What was asked for, before anything was looked up. `cwd` is canonical. */
export interface CommandRequest {
  readonly form: { readonly kind: "argv"; readonly argv: Argv } | { readonly kind: "command"; readonly text: string };
  readonly cwd: AbsolutePath;
  readonly hasStdin: boolean;
}

/** What would really run: the answer of `planCommand(request, machine)`, or a denial (exec.not-found, binding.unavailable …). */
export interface CommandPlan {
  /** As bound: the requested argv, or `["/bin/sh","-c",text]`. */
  readonly argv: Argv;
  readonly cwd: AbsolutePath;
  readonly executable: Program;
  /** In order of appearance, repeats kept (protocol section 5 and 7). */
  readonly nested: readonly Program[];
  /** By ascending argvIndex, then order of appearance; conventional inputs have -1. Paths are canonical. */
  readonly files: readonly OperandFile[];
  /** What is loaded beyond what can be bound, in plain words. */
  readonly unbound: readonly string[];
  /**
   * Those members of `unbound` that are start-up files of a shell which was looked through. They are shown like the rest, but an
   * allow-always may still keep the inner program, because that is later started without the shell.
   */
  readonly startup: readonly string[];
  readonly analysis: Analysis;
  /** What is started when a person approved it: the request itself, or `/bin/sh -c text` for text that could not be analysed. */
  readonly asRequested: Step;
}

export interface OperandFile {
  readonly argvIndex: number;
  readonly path: AbsolutePath;
}

export type Analysis =
  | {
      readonly ok: true;
      /** Leaves in order, wrappers looked through: each must be satisfied. */
      readonly segments: readonly Segment[];
      /** What is started when policy alone allows it: the judged inner commands. */
      readonly asJudged: Step;
    }
  | { readonly ok: false; readonly refusal: Refusal };

export interface Segment {
  /** The simple command as written, quotes removed. */
  readonly written: Argv;
  /** The innermost command after wrappers, package runners and shells were looked through. */
  readonly argv: Argv;
  readonly cwd: AbsolutePath;
  /** `null` when it does not resolve; such a segment matches nothing. */
  readonly program: Program | null;
  readonly operator: Operator | null;
  /** Names of what was looked through, outermost first. */
  readonly wrappers: readonly string[];
  /** The operand of an interpreter (`bash script.sh`), and whether further interpreter options stand before it. */
  readonly script: { readonly index: number; readonly path: AbsolutePath; readonly plain: boolean } | null;
  /** Why no list may satisfy this segment, if so: a builtin, a blocked wrapper, `countersign` itself, the state directory. */
  readonly never: string | null;
  /**
   * Whether allow-always may keep the inner program. False where looking through proved nothing; true beside a `never` only for
   * `bash -lc 'whoami'` and its like, which is shown and stored as `whoami` although a login shell is never started on policy's word.
   */
  readonly storable: boolean;
  /** The carrying form that a bare path entry does not cover (policy page, section 3), in words. */
  readonly carries: string | null;
  /** `python -c` and the like, in words. */
  readonly inlineEval: string | null;
}

/** `outright` is denied in allowlist mode whatever is listed (redirection, substitution, subshell); `miss` asks or is denied. */
export interface Refusal {
  readonly weight: "outright" | "miss";
  /** redirection, command-substitution, process-substitution, subshell, newline, unterminated-quote, variable, glob … */
  readonly reason: string;
  readonly message: string;
  /** Counted from 1, in characters of the text. */
  readonly column: number;
  readonly excerpt: string;
  /** What a person could write instead. */
  readonly hint: string;
}
