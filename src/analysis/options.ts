/** How a program reads its options, as far as it matters here: which of them take a value, and where the operands begin. */
export interface OptionSpec {
  /** Short options whose value is the rest of the word or the next one. */
  readonly valued?: string;
  /** Short options whose value, if any, is glued to them. */
  readonly glued?: string;
  /** All other short options. Left out, any letter is a flag. */
  readonly flags?: string;
  /** Long options without their dashes. */
  readonly longValued?: readonly string[];
  /** Left out, any long option is a flag. */
  readonly longFlags?: readonly string[];
  /** getopt_long(3) takes any unambiguous beginning of a long option for the whole. */
  readonly abbreviates?: boolean;
}

export interface FoundOption {
  /** `-n` or `--lines`, in full. */
  readonly name: string;
  readonly value: string | null;
  /** Where the value stands, or the option itself. */
  readonly at: number;
}

export interface FoundOptions {
  readonly options: readonly FoundOption[];
  /** Where the operands begin; the length of argv when there are none. */
  readonly operands: number;
  /** An option that the program's table does not know: from there on nothing is certain. */
  readonly unknown: string | null;
  /** `--` ended the options: what follows are operands, whatever they look like. */
  readonly ended: boolean;
}

/** Reads options up to the first operand, as getopt(3) with `+`: whatever follows belongs to the program or script that is named there. */
export function readOptions(argv: readonly string[], spec: OptionSpec, from = 1): FoundOptions {
  const options: FoundOption[] = [];
  let unknown: string | null = null;
  let at = from;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") return { options, operands: at + 1, unknown, ended: true };
    if (word === "-" || !word.startsWith("-")) break;
    const found = word.startsWith("--") ? readLong(argv, at, spec) : readCluster(argv, at, spec);
    for (const option of found.options) options.push(option);
    unknown ??= found.unknown;
    at = found.last;
  }
  return { options, operands: Math.min(at, argv.length), unknown, ended: false };
}

/** Reads options wherever they stand, as getopt(3) without `+`. `operands` are the places of all other words. */
export function readAllOptions(
  argv: readonly string[],
  spec: OptionSpec,
): { readonly options: readonly FoundOption[]; readonly operands: readonly number[]; readonly unknown: string | null } {
  const options: FoundOption[] = [];
  const operands: number[] = [];
  let unknown: string | null = null;
  for (let at = 1; at < argv.length; at += 1) {
    const found = readOptions(argv, spec, at);
    for (const option of found.options) options.push(option);
    unknown ??= found.unknown;
    const last = found.ended ? argv.length : found.operands + 1;
    for (at = found.operands; at < Math.min(last, argv.length); at += 1) operands.push(at);
    at -= 1;
  }
  return { options, operands, unknown };
}

interface OneWord {
  readonly options: readonly FoundOption[];
  readonly unknown: string | null;
  /** The last word that was used up. */
  readonly last: number;
}

function readLong(argv: readonly string[], at: number, spec: OptionSpec): OneWord {
  const word = argv[at] ?? "";
  const equals = word.indexOf("=");
  const written = word.slice(2, equals < 0 ? undefined : equals);
  const name = fullName(written, spec);
  const takesValue = spec.longValued?.includes(name) ?? false;
  const known = takesValue || spec.longFlags === undefined || spec.longFlags.includes(name);
  if (equals >= 0) return { options: [{ name: `--${name}`, value: word.slice(equals + 1), at }], unknown: known ? null : word, last: at };
  if (!takesValue) return { options: [{ name: `--${name}`, value: null, at }], unknown: known ? null : word, last: at };
  return {
    options: [{ name: `--${name}`, value: argv[at + 1] ?? null, at: at + 1 }],
    unknown: at + 1 < argv.length ? null : word,
    last: at + 1,
  };
}

function fullName(written: string, spec: OptionSpec): string {
  const all = [...(spec.longValued ?? []), ...(spec.longFlags ?? [])];
  if (spec.abbreviates !== true || all.includes(written)) return written;
  const [only, ...others] = all.filter((name) => name.startsWith(written));
  return only !== undefined && others.length === 0 ? only : written;
}

function readCluster(argv: readonly string[], at: number, spec: OptionSpec): OneWord {
  const word = argv[at] ?? "";
  const options: FoundOption[] = [];
  const seen = new Set<string>();
  let unknown: string | null = null;
  for (let index = 1; index < word.length; index += 1) {
    const letter = word.charAt(index);
    // A flag counts once per word: a cluster of a million letters must not become a million options.
    if (seen.has(letter)) continue;
    const rest = word.slice(index + 1);
    if (spec.glued?.includes(letter))
      return { options: [...options, { name: `-${letter}`, value: rest === "" ? null : rest, at }], unknown, last: at };
    if (spec.valued?.includes(letter)) {
      if (rest !== "") return { options: [...options, { name: `-${letter}`, value: rest, at }], unknown, last: at };
      const value = argv[at + 1] ?? null;
      return { options: [...options, { name: `-${letter}`, value, at: at + 1 }], unknown: value === null ? word : unknown, last: at + 1 };
    }
    seen.add(letter);
    if (spec.flags !== undefined && !spec.flags.includes(letter)) unknown ??= word;
    options.push({ name: `-${letter}`, value: null, at });
  }
  return { options, unknown, last: at };
}
