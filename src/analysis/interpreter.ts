import type { OptionSpec } from "./options.ts";

/**
 * Programs that run a program which they are given: as text, as a file, or on standard input. A row says how its options are read and which
 * of them carry what. Sources are the manual pages and `--help` of each; letters are read cluster by cluster, so `python3 -Ic` is `-I -c`.
 */
export interface Interpreter extends OptionSpec {
  readonly names: string;
  /** Options whose value is program text. */
  readonly code?: string;
  /** Options whose value is a file with the program. */
  readonly file?: string;
  /** Options that load code besides, by name or path. */
  readonly loads?: string;
  /** `python -m`: the program is a module, found by name. */
  readonly module?: string;
  /** The first operand is program text, not a file: awk, sed. */
  readonly operandIsCode?: boolean;
  /** Options count wherever they stand, getopt(3): `sed p file -e '1e id'` runs `id`. */
  readonly permutes?: boolean;
  /** Options that change the directory before the file is opened: which file that is cannot be said. */
  readonly elsewhere?: string;
  /** Sub-commands under which another word is the program. */
  readonly opaque?: readonly string[];
  /** An operand without a dot or a slash is a sub-command and no file. */
  readonly subcommands?: boolean;
  /** The one word after which it only says who it is. */
  readonly asks?: string;
  /** A program of its language can name further files to load. Shells can too, but there it is the exception. */
  readonly imports?: boolean;
  /** Without an operand it reads its program from standard input. */
  readonly stdin?: boolean;
  /** Sub-commands after which options and the file come. */
  readonly runs?: readonly string[];
  /** Sub-commands that take program text. */
  readonly evals?: readonly string[];
  /** Endings that a missing file name is tried with, in order. */
  readonly endings?: readonly string[];
}

export const words = (text: string): readonly string[] => text.split(" ");
