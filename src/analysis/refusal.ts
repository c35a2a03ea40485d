import type { Refusal } from "./command-plan.ts";
import { visible } from "./quoted.ts";

/** What the tokenizer can refuse, each with its weight, the fact in words, and what a person could write instead. */
const REASONS = {
  redirection: ["outright", "redirects a file descriptor", "let the program write the file itself, or pipe into `tee`"],
  heredoc: ["outright", "is a here-document", "pass the text as standard input of the request"],
  "command-substitution": ["outright", "runs a command inside a word", "run the inner command first and write its output literally"],
  "process-substitution": ["outright", "runs a command behind a file name", "run the inner command on its own and pipe it"],
  arithmetic: ["outright", "is an arithmetic expansion", "write the number itself"],
  subshell: ["outright", "is a subshell, or a parenthesis without quotes", "quote the parenthesis, or write the commands without it"],
  variable: ["miss", "expands a variable", "write the value itself, or quote the `$` with single quotes if it is meant literally"],
  "dollar-quote": ["miss", "is a `$'…'` or `$\"…\"` string", "use plain single or double quotes"],
  glob: ["miss", "is a file name pattern", "name the files, or quote the pattern if the program expands it itself"],
  brace: ["miss", "is a brace expansion or a brace group", "write the words out, or quote the brace"],
  tilde: ["miss", "expands to a home directory", "write the directory's full path"],
  equals: ["miss", "starts a word with `=`, which some shells expand", "quote the word"],
  comment: ["miss", "starts a comment", "leave the comment out, or quote the `#`"],
  newline: ["miss", "is a line break outside quotes", "join the commands with `&&` or `;` on one line"],
  control: ["miss", "is a control character", "remove the character, or put it inside single quotes"],
  "non-ascii": ["miss", "is neither a letter nor a digit and is not ASCII", "put the word in single quotes"],
  "ill-formed": ["miss", "is half of a surrogate pair, which no file name or argument can hold", "send well-formed Unicode"],
  "unterminated-quote": ["miss", "is never closed", "close the quote, or write a backslash as `\\\\`"],
  assignment: ["miss", "assigns a variable before the command", "send the variable in the request's `env`"],
  keyword: ["miss", "is a reserved word of the shell", "write the commands without control flow, or put them into a script"],
  function: ["miss", "defines a function", "write the commands out, or put them into a script"],
  "command-name": ["miss", "cannot be a command's name here", "name the program by its plain name or path"],
  empty: ["miss", "holds no command", "name a program"],
  "dangling-operator": ["miss", "joins nothing", "remove the operator, or write the command it should join"],
  "unsupported-operator": ["miss", "is an operator that is not analysed", "use `|`, `&&`, `||`, `;` or `&`"],
  "too-long": ["miss", "is longer than is analysed", "put the commands into a script"],
  "too-many-commands": ["miss", "is one command more than is analysed", "put the commands into a script"],
  "second-opinion": ["miss", "is read differently by a second parser", "write the quotes more plainly"],
  "windows-metachar": ["miss", "is text for a Windows shell, which is not analysed", "send the command as an argument list"],
  "shell-dialect": ["miss", "means something else to this shell", "use `sh`, or leave the character out"],
} as const satisfies Record<string, readonly ["outright" | "miss", string, string]>;

export type Reason = keyof typeof REASONS;

const EXCERPT_CHARS = 24;

/** Where one word is at fault, the sentence names that word alone. */
const OF_ONE_WORD: ReadonlySet<Reason> = new Set(["variable", "glob", "tilde", "equals", "assignment", "keyword", "function"]);

export function isOutright(reason: Reason): boolean {
  return REASONS[reason][0] === "outright";
}

/** `at` is an index into the text in UTF-16 units; the column that people see counts characters. */
export function refusal(reason: Reason, text: string, at: number): Refusal {
  const [weight, fact, hint] = REASONS[reason];
  const rest = Array.from(text.slice(at, at + 2 * EXCERPT_CHARS), visible)
    .slice(0, EXCERPT_CHARS)
    .join("");
  const named = OF_ONE_WORD.has(reason) ? (/^[^\s;&|"']+/.exec(rest)?.[0] ?? rest) : rest;
  return { weight, reason, message: `\`${named}\` ${fact}`, column: Array.from(text.slice(0, at)).length + 1, excerpt: rest, hint };
}
