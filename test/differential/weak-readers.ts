import { parse } from "shell-quote";
import { type SimpleCommand, tokenize } from "../../src/analysis/tokenize.ts";
import { toArgv } from "../../src/core/argv.ts";
import type { Reader } from "./compare.ts";

/** Readers that are each wrong in one way. The differential test has to find every one of them out, or it proves nothing. */
export const WEAK_READERS: readonly { readonly name: string; readonly read: Reader }[] = [
  { name: "that takes a variable for a plain word", read: blindTo("$") },
  { name: "that takes a backtick for a plain character", read: blindTo("`") },
  { name: "that takes `*` for a plain character", read: blindTo("*") },
  { name: "that takes `?` for a plain character", read: blindTo("?") },
  { name: "that takes `[` and `]` for plain characters", read: blindTo("[", "]") },
  { name: "that takes `~` for a plain character", read: blindTo("~") },
  { name: "that takes braces for plain characters", read: blindTo("{", "}") },
  { name: "that takes `#` for a plain character", read: blindTo("#") },
  { name: "that takes `<` for a plain character", read: blindTo("<") },
  { name: "that takes `>` for a plain character", read: blindTo(">") },
  { name: "that takes parentheses for plain characters", read: blindTo("(", ")") },
  { name: "that takes `=` in a name for a plain character", read: blindTo("=") },
  { name: "that takes a line break for a blank", read: (text) => ours(text.replaceAll("\n", " ")) },
  { name: "that takes `&&` for `;`", read: (text) => ours(text)?.map(rejoined("&&", ";")) ?? null },
  { name: "that takes `||` for `|`", read: (text) => ours(text)?.map(rejoined("||", "|")) ?? null },
  { name: "that keeps no backslash in double quotes", read: (text) => ours(text.replace(/\\([^"\\$`\n])/g, "$1")) },
  { name: "that is shell-quote alone", read: shellQuoteAlone },
];

function ours(text: string): readonly SimpleCommand[] | null {
  const read = tokenize(text);
  return read.ok ? read.value : null;
}

/** Shows the tokenizer a letter instead of the character, and puts the character back into what it found. */
function blindTo(...chars: readonly string[]): Reader {
  const letters = ["ꙮ", "ꙁ"];
  return (text) => {
    const hidden = chars.reduce((shown, char, index) => shown.replaceAll(char, letters[index] ?? ""), text);
    const back = (word: string): string => chars.reduce((found, char, index) => found.replaceAll(letters[index] ?? "", char), word);
    return ours(hidden)?.map(({ argv: [name, ...rest], operator }) => ({ argv: [back(name), ...rest.map(back)], operator })) ?? null;
  };
}

function rejoined(from: SimpleCommand["operator"], to: SimpleCommand["operator"]): (command: SimpleCommand) => SimpleCommand {
  return ({ argv, operator }) => ({ argv, operator: operator === from ? to : operator });
}

function shellQuoteAlone(text: string): readonly SimpleCommand[] | null {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  const end = (operator: SimpleCommand["operator"]): boolean => {
    const argv = toArgv(words);
    words = [];
    return argv !== null && commands.push({ argv, operator }) > 0;
  };
  try {
    for (const token of parse(text)) {
      if (typeof token === "string") words.push(token);
      else if (!("op" in token) || token.op === "glob") return null;
      else if (token.op === "|" || token.op === "&&" || token.op === "||" || token.op === ";" || token.op === "&") {
        if (!end(token.op)) return null;
      } else return null;
    }
  } catch {
    return null;
  }
  return end(null) ? commands : null;
}
