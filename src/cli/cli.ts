/** From the words a person typed to an exit code: find the command, parse its words, run it, and say what went wrong if it did. */
import { CallError, isCallError } from "../client/call-error.ts";
import { closest } from "../core/did-you-mean.ts";
import { VERSION } from "../core/version.ts";
import { type Command, type Io, UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, exitCodeOf, interruptionExit } from "./exit-code.ts";
import { SHARED_FLAGS } from "./flags.ts";
import { briefUsage, commandHelp, groupHelp, overview } from "./help.ts";
import { painter, wantsColour } from "./paint.ts";
import { parseWords } from "./parse-words.ts";
import { errorJson, errorLines } from "./render-error.ts";
import { columnsOfStream, warn } from "./tell.ts";

const VERSION_LINE = `countersign ${VERSION}`;

export async function main(words: readonly string[], io: Io): Promise<number> {
  const { leading, rest } = splitLeadingFlags(words);
  // An error of parsing must be in the form that was asked for too, so this is a guess until the words are parsed.
  let json = beforeTerminator(words).includes("--json");
  const found = findCommand(rest);
  try {
    if (rest[0] === "help") return help(rest.slice(1), io);
    if (found === null) return await withoutCommand(leading, rest, io);
    const { command, after } = found;
    const call = parseWords(command, [...leading, ...after], io);
    json = call.has("json");
    if (call.has("help")) return say(io, commandHelp(command, io));
    if (call.has("version")) return say(io, [VERSION_LINE]);
    const { run } = await command.load();
    return await run(call);
  } catch (error) {
    return report(error, found?.command ?? rest[0] ?? null, json, io);
  }
}

async function withoutCommand(leading: readonly string[], rest: readonly string[], io: Io): Promise<number> {
  const [first] = rest;
  if (first === undefined) {
    const call = parseWords(NO_COMMAND, leading, io);
    return say(io, call.has("version") ? [VERSION_LINE] : overview(io));
  }
  const members = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (members.length === 0) throw unknownCommand(first);
  const second = rest.slice(1).find((word) => !word.startsWith("-"));
  if (second === undefined && beforeTerminator(rest).some((word) => word === "--help" || word === "-h"))
    return say(io, groupHelp(first, io));
  throw unknownMember(first, second, members);
}

/** Only the shared flags, for `countersign --version` and `countersign --help`. */
const NO_COMMAND: Command = { name: "countersign", summary: "", load: () => Promise.reject(new UsageError("no command was given")) };

/** The longest name wins: `token rotate` before a `token` of its own, if there were one. */
function findCommand(words: readonly string[]): { readonly command: Command; readonly after: readonly string[] } | null {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = words.length < length ? undefined : COMMANDS.find((candidate) => candidate.name === name);
    if (command !== undefined) return { command, after: words.slice(length) };
  }
  return null;
}

/** `countersign --state-dir DIR run …`: flags before the command are the shared ones, and those with a value take the next word. */
function splitLeadingFlags(words: readonly string[]): { readonly leading: readonly string[]; readonly rest: readonly string[] } {
  let at = 0;
  while (words[at]?.startsWith("-") === true && words[at] !== "--") {
    const takesNext = SHARED_FLAGS[words[at]?.slice(2) ?? ""]?.value !== undefined;
    at += takesNext ? 2 : 1;
  }
  return { leading: words.slice(0, at), rest: words.slice(at) };
}

function help(names: readonly string[], io: Io): number {
  const words = names.filter((word) => !word.startsWith("-"));
  const [first] = words;
  if (first === undefined) return say(io, overview(io));
  const found = findCommand(words);
  if (found !== null) return say(io, commandHelp(found.command, io));
  if (COMMANDS.some(({ name }) => name.startsWith(`${first} `))) return say(io, groupHelp(first, io));
  throw unknownCommand(first, "");
}

function unknownCommand(word: string, otherwise = `; to have it run: countersign run -- ${word}`): UsageError {
  const near = closest(word, [...new Set(COMMANDS.flatMap(({ name }) => [name, name.split(" ")[0] ?? name]))]);
  const remedy = near === null ? otherwise : `; did you mean \`${near}\`?`;
  return new UsageError(`there is no command \`${word}\`${remedy}`);
}

function unknownMember(first: string, second: string | undefined, members: readonly Command[]): UsageError {
  const names = members.map(({ name }) => name.slice(first.length + 1));
  if (second === undefined) return new UsageError(`\`${first}\` needs one of ${names.join(", ")}`);
  const near = closest(second, names);
  return new UsageError(
    `\`${first}\` has no \`${second}\`; ${near === null ? `it has ${names.join(", ")}` : `did you mean \`${first} ${near}\`?`}`,
  );
}

/** `about` is the command that was meant, or the first word where there is no such command. */
function report(error: unknown, about: Command | string | null, json: boolean, io: Io): number {
  // Whoever pressed Ctrl-C knows why the connection went away.
  const interrupted = error instanceof UsageError ? null : interruptionExit(io);
  if (interrupted !== null) return interrupted;
  const failure = error instanceof UsageError ? new CallError("usage", error.message) : asCallError(error);
  if (json) {
    io.out(JSON.stringify(errorJson(failure.code, failure.message, failure.data)));
  } else {
    const paint = painter(wantsColour(io.env, io.stderr.isTTY));
    if (error instanceof UsageError) {
      warn(io, `${paint.red("countersign:")} ${error.message}`);
      if (typeof about === "object" && about !== null) warn(io, `usage: ${briefUsage(about)}`);
      io.err(`see: countersign help${topicOf(about)}`);
    } else {
      for (const line of errorLines(failure, paint, columnsOfStream(io.stderr))) io.err(line);
    }
  }
  return error instanceof UsageError ? EXIT.usage : exitCodeOf(failure);
}

function topicOf(about: Command | string | null): string {
  if (typeof about === "object") return about === null ? "" : ` ${about.name}`;
  return COMMANDS.some(({ name }) => name.startsWith(`${about} `)) ? ` ${about}` : "";
}

/** A file system that failed is named by its path and errno. Anything else is a defect of ours, and its own words are the best there is. */
function asCallError(error: unknown): CallError {
  if (isCallError(error)) return error;
  if (!(error instanceof Error)) return new CallError("internal", String(error));
  const { path, errno } = { path: "path" in error ? error.path : null, errno: "code" in error ? error.code : null };
  if (typeof path !== "string" || typeof errno !== "string") return new CallError("internal", error.message);
  return new CallError("state.io", `\`${path}\` cannot be used (${errno}); check its owner and mode, and those above it`, { path, errno });
}

function beforeTerminator(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

function say(io: Io, lines: readonly string[]): number {
  for (const line of lines) io.out(line);
  return EXIT.ok;
}
