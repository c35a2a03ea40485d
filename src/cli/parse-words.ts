/** Turns the words after a command's name into a call, or into a sentence that says which word was wrong and what would be right. */
import { parseArgs } from "node:util";
import { closest } from "../core/did-you-mean.ts";
import { type Command, type CommandCall, type Flag, type Io, UsageError } from "./command.ts";
import { SHARED_FLAGS } from "./flags.ts";

/** What parseArgs found, without its opinions: its own complaints name neither the command nor the nearest flag. */
interface Found {
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

export function parseWords(command: Command, words: readonly string[], io: Io): CommandCall {
  const flags = { ...command.flags, ...SHARED_FLAGS };
  const [own, carried] = takesCommand(command) ? splitAtCommand(flags, words) : [words, null];
  const found = readFlags(command, flags, own);
  const operands = [...found.operands, ...(carried ?? [])];
  // Whoever asks for help has not finished the sentence yet.
  if (!found.flags.has("help")) checkOperands(command, operands);
  return {
    operands,
    has: (flag) => found.flags.has(flag),
    text: (flag) => found.flags.get(flag)?.at(-1),
    texts: (flag) => found.flags.get(flag) ?? [],
    io,
  };
}

function takesCommand(command: Command): boolean {
  return command.operands?.some((operand) => operand.rest === "command") === true;
}

function tokensOf(flags: Readonly<Record<string, Flag>>, words: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), ...(short === undefined ? {} : { short }) },
    ]),
  );
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: false, tokens: true }).tokens;
}

/**
 * As with sudo(8) and env(1), the first word that is not a flag of ours begins the other command, and everything from there on is its own:
 * `countersign run ls --json` lists, and does not print JSON. `--` says the same out loud.
 */
function splitAtCommand(flags: Readonly<Record<string, Flag>>, words: readonly string[]): readonly [readonly string[], readonly string[]] {
  for (const token of tokensOf(flags, words)) {
    if (token.kind === "option-terminator") return [words.slice(0, token.index), words.slice(token.index + 1)];
    if (token.kind === "positional") return [words.slice(0, token.index), words.slice(token.index)];
  }
  return [words, []];
}

function readFlags(command: Command, flags: Readonly<Record<string, Flag>>, words: readonly string[]): Found {
  const found = new Map<string, readonly string[]>();
  const operands: string[] = [];
  for (const token of tokensOf(flags, words)) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) throw unknownFlag(command, flags, rawName);
    const before = found.get(name) ?? [];
    if (flag.value === undefined) {
      if (value !== undefined) throw new UsageError(`\`${rawName}\` takes no value`);
      found.set(name, before);
      continue;
    }
    if (value === undefined) throw new UsageError(`\`${rawName}\` needs a value: ${rawName} ${flag.value}`);
    // `--reason --json` is a forgotten value more often than a value with dashes.
    if (!token.inlineValue && value.startsWith("-") && value.length > 1) {
      throw new UsageError(`\`${rawName}\` needs a value; if it is \`${value}\`, write ${rawName}=${value}`);
    }
    if (before.length > 0 && flag.repeated !== true) throw new UsageError(`\`${rawName}\` is given twice; say it once`);
    if (flag.choices?.includes(value) === false) throw wrongChoice(rawName, value, flag.choices);
    found.set(name, [...before, value]);
  }
  return { flags: found, operands };
}

function unknownFlag(command: Command, flags: Readonly<Record<string, Flag>>, rawName: string): UsageError {
  const near = closest(
    rawName,
    Object.keys(flags).map((name) => `--${name}`),
  );
  return new UsageError(`\`${command.name}\` has no flag \`${rawName}\`${near === null ? "" : `; did you mean \`${near}\`?`}`);
}

function wrongChoice(rawName: string, value: string, choices: readonly string[]): UsageError {
  return new UsageError(`\`${rawName}\` is one of ${choices.join(", ")}, not \`${value}\``);
}

function checkOperands(command: Command, given: readonly string[]): void {
  const expected = command.operands ?? [];
  const missing = expected.find((operand, index) => operand.optional !== true && given[index] === undefined);
  if (missing !== undefined) throw new UsageError(`\`${command.name}\` needs ${missing.summary}`);
  const surplus = expected.some((operand) => operand.rest !== undefined) ? undefined : given[expected.length];
  if (surplus !== undefined) throw new UsageError(`\`${command.name}\` does not know what to do with \`${surplus}\``);
}
