/**
 * Programs whose options or arguments start other programs or load code: trusting such a program by its path is not trusting what it is
 * made to carry. Data only, with a source per row. GTFOBins is https://gtfobins.github.io, section "Shell" or "Command" unless said.
 * A form that is missing here is a hole, and a form too many costs a question, so rows err on the side of asking.
 */
export interface Carrier {
  readonly names: string;
  readonly source: string;
  /** Carries in any form; in words, what. */
  readonly any?: string;
  /** What the options below do, where it is not starting programs or loading code. */
  readonly does?: string;
  /** Short options, looked for in every cluster. */
  readonly short?: string;
  /** Short options with a value: the rest of their cluster is not looked at. */
  readonly skips?: string;
  /** Long options; any beginning of one counts as an abbreviation. */
  readonly long?: string;
  /** Long options that begin like a listed one and carry nothing. */
  readonly except?: string;
  /** Words that start with a single dash, or anything else that counts by how the word begins. */
  readonly begins?: string;
  /** Words that carry wherever they stand. */
  readonly words?: string;
  /** Operands of this form carry. */
  readonly operand?: RegExp;
  /** The first word is a cluster without a dash: tar, ar. */
  readonly oldStyle?: boolean;
  /**
   * Sub-commands that carry nothing; every other one does, because it may be an alias, a plug-in on PATH or a task of the project.
   * `x&y` is `x` with `y` behind it, and `$` stands for nothing more: `remote&-v&$`.
   */
  readonly safe?: string;
  /** Options that may stand before a sub-command. */
  readonly harmless?: string;
}
