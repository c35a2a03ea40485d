import { parse } from "shell-quote";
import type { SimpleCommand } from "./tokenize.ts";

/**
 * The only file that knows shell-quote. It is asked after our own tokenizer has accepted a text and can only add a refusal. On its own it
 * is no authority: it loses an unquoted backslash before most characters, knows no line ends and no trailing `;`, and drops `#` comments.
 */
export function secondOpinionAgrees(text: string, commands: readonly SimpleCommand[]): boolean {
  if (!canRead(text)) return true;
  const said = read(text);
  if (said === null) return false;
  const ours = commands.flatMap(({ argv, operator }) => [
    ...argv.map((word) => `word ${word}`),
    ...(operator === null ? [] : [`operator ${operator}`]),
  ]);
  if (said.length === ours.length + 1 && said.at(-1) === "operator ;") said.pop();
  return said.length === ours.length && said.every((token, index) => token === ours[index]);
}

/** Where it is known to be wrong, measured against bash, its word counts for nothing: backslashes, `a#b`, blanks other than two. */
function canRead(text: string): boolean {
  return !/[\\#]/.test(text) && !/[^\S \t\n]/u.test(text);
}

function read(text: string): string[] | null {
  const said: string[] = [];
  try {
    // The callback sees every variable; a text with one was refused before, so any call at all is a disagreement.
    for (const token of parse(text, () => ({ op: "variable" }))) {
      if (typeof token === "string") said.push(`word ${token}`);
      else if ("op" in token && token.op !== "glob") said.push(`operator ${token.op}`);
      else return null;
    }
  } catch {
    // It throws on what it calls a bad substitution: then it could not read the text, and the text is refused.
    return null;
  }
  return said;
}
