/** Reads a shown command as bash would read it: bare words, `'…'`, `"…"` without expansions, `$'…'`. Written apart from what prints it. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [word, next] = wordAt(text, at);
    words.push(word);
    if (next < text.length && text[next] !== " ") throw new Error(`expected a space at ${next}`);
    at = next + 1;
  }
  return words;
}

function wordAt(text: string, from: number): readonly [string, number] {
  if (text.startsWith("$'", from)) return dollarQuoted(text, from + 2);
  const quote = text[from];
  if (quote === "'" || quote === '"') {
    const end = text.indexOf(quote, from + 1);
    const inside = text.slice(from + 1, end);
    if (end < 0 || (quote === '"' && /[$`\\!]/.test(inside))) throw new Error(`bad quotes at ${from}`);
    return [inside, end + 1];
  }
  const bare = /^[^\s'"$`\\|&;<>()*?[\]{}~#!]+/.exec(text.slice(from));
  if (bare === null) throw new Error(`no word at ${from}`);
  return [bare[0], from + bare[0].length];
}

const SIMPLE: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\", "'": "'" };
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function dollarQuoted(text: string, from: number): readonly [string, number] {
  let word = "";
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "'") return [word, at + 1];
    if (char !== "\\") {
      word += char;
      continue;
    }
    at += 1;
    const kind = text.charAt(at);
    const digits = DIGITS[kind];
    if (digits === undefined) {
      const simple = SIMPLE[kind];
      if (simple === undefined) throw new Error(`unknown escape at ${at}`);
      word += simple;
    } else {
      word += String.fromCodePoint(Number.parseInt(text.slice(at + 1, at + 1 + digits), 16));
      at += digits;
    }
  }
  throw new Error("unterminated");
}
