/** One row of the command table. Parsing, help, completion and the man page are all made from it, so they cannot disagree. */
export interface Command {
  /** `run`, or `token rotate`: the words a person types. */
  readonly name: string;
  readonly summary: string;
  /** Paragraphs for `--help` and the man page. */
  readonly details?: readonly string[];
  readonly operands?: readonly Operand[];
  /** By long name, without the dashes. Every command also takes the shared flags of flags.ts. */
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly examples?: readonly { readonly line: string; readonly does: string }[];
  /** Loaded when it is called: `countersign run` must not pay for the terminal UI. */
  readonly load: () => Promise<{ readonly run: (call: CommandCall) => Promise<number> }>;
}

export interface Flag {
  readonly short?: string;
  /** What stands in help for the value (`ID`, `FILE`, `MS`); absent for a switch. */
  readonly value?: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeated?: true;
}

export interface Operand {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  readonly choices?: readonly string[];
  /** Takes everything that is left; with `command`, everything after `--` as it stands. */
  readonly rest?: "words" | "command";
}

export interface CommandCall {
  /** The exit code is what run() gives back; a CallError or UsageError it throws is shown and mapped by cli.ts. */
  readonly operands: readonly string[];
  has(flag: string): boolean;
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  readonly io: Io;
}

/** The terminal and the surroundings, as arguments. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  out(line: string): void;
  err(line: string): void;
  /** Width of standard output; without end when it is no terminal, so that nothing is folded in a file or a pipe. */
  columns(): number;
  /** Colour on standard output: a terminal, no NO_COLOR, no TERM=dumb; FORCE_COLOR wins. */
  readonly colour: boolean;
  /** Fires on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Words that were typed wrong: exit code 64, with the usage line of the command. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
