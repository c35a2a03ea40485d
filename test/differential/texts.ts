import * as fc from "fast-check";

/**
 * Texts for the differential test. Letters are few on purpose: no path or program of a real system can be spelt with them, so a text that
 * was accepted by mistake still has nothing to start.
 */
const NAME_CHARS = ["a", "b", "c"];
const PLAIN = "abc01._/:@%+,^!-=~#".split("");
/** Everything that means something to some shell, and a few letters to put it between. */
const SOUP = "aaabbbcc01   \t''\"\"\\\\||&&;;$`<>(){}[]*?~=#!%^,.:/@+-_".split("");
const ODD = ["\n", "é", "ß", "日", "٣", "\u00a0", "\u3000", "\u200b", "😀", "Á", "\u0301", "\x01", "\x7f", "\r", "\u0085", "\u2028"];

const soupChar = fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...SOUP) }, { weight: 1, arbitrary: fc.constantFrom(...ODD) });
const anyChar = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 8, arbitrary: fc.constantFrom(...SOUP) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
);
const some = (char: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(char, { maxLength }).map((chars) => chars.join(""));

/** Pieces of a word, each in one of the ways of writing it. */
const piece = fc.oneof(
  { weight: 6, arbitrary: some(fc.constantFrom(...PLAIN), 4) },
  { weight: 3, arbitrary: some(anyChar, 5).map((inside) => `'${inside.replaceAll("'", "")}'`) },
  { weight: 3, arbitrary: some(anyChar, 5).map((inside) => `"${inside.replaceAll('"', "")}"`) },
  { weight: 2, arbitrary: some(anyChar, 5).map((inside) => `"${inside.replace(/["\\$`]/g, "\\$&")}"`) },
  { weight: 3, arbitrary: anyChar.map((char) => `\\${char}`) },
  { weight: 1, arbitrary: fc.constantFrom("{}", "{a,b}", "[", "]", "$a", "$0", "~", "*", "a=b", "!", "--", "''", '""', "[a]", "\\\n") },
);
const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));

/** A name that is known to every shell, however it is written. */
const spelt = fc.tuple(fc.array(fc.constantFrom(...NAME_CHARS), { minLength: 1, maxLength: 3 }), fc.array(fc.nat(7), { maxLength: 3 }));
const name = spelt.map(([chars, styles]) =>
  chars
    .map((char, index) => {
      const style = styles[index] ?? 7;
      if (style === 0) return `\\${char}`;
      if (style === 1) return `'${char}'`;
      return style === 2 ? `"${char}"` : char;
    })
    .join(""),
);
const RESERVED = ["if", "time", "{", "!", "[[", "function", "coproc", "select", "a=1", "''", "-a", "then", "in", "case", "for"];
const commandName = fc.oneof({ weight: 20, arbitrary: name }, { weight: 1, arbitrary: fc.constantFrom(...RESERVED) });

const blank = fc.oneof({ weight: 9, arbitrary: fc.constant(" ") }, { weight: 1, arbitrary: fc.constantFrom("\t", "  ", " \t ", "") });
const OPERATORS = ["|", "&&", "||", ";", "&"];
const operator = fc.oneof(
  { weight: 15, arbitrary: fc.constantFrom(...OPERATORS) },
  { weight: 1, arbitrary: fc.constantFrom("|&", "&>", ";;", "&|", "&!", "\n", "; ;", ";&", "&&&", "|||", ";|") },
);
const command = fc
  .tuple(commandName, fc.array(fc.tuple(blank, word), { maxLength: 3 }))
  .map(([first, rest]) => first + rest.map(([gap, each]) => (gap === "" ? " " : gap) + each).join(""));
const sentence = fc
  .tuple(command, fc.array(fc.tuple(blank, operator, blank, command), { maxLength: 4 }), fc.constantFrom("", "", "", ";", "&", " ", " # a"))
  .map(([first, rest, end]) => first + rest.map((parts) => parts.join("")).join("") + end);

/** Sentences that people write, with every name and path made harmless, and then a few characters changed. */
export function mutated(realistic: readonly string[]): fc.Arbitrary<string> {
  const harmless = realistic.map((text) => text.replaceAll("/", ":").replace(/(^|[|&;]\s*)[\w.-]+/g, "$1ab"));
  const change = fc.tuple(fc.nat(200), fc.constantFrom("insert", "delete", "replace"), anyChar);
  return fc.tuple(fc.constantFrom(...harmless), fc.array(change, { maxLength: 3 })).map(([text, changes]) => {
    let out = text;
    for (const [at, how, char] of changes) {
      const place = at % (out.length + 1);
      out = out.slice(0, place) + (how === "delete" ? "" : char) + out.slice(how === "insert" ? place : place + 1);
    }
    return out.replaceAll("/", ":");
  });
}

export function texts(realistic: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: sentence },
    { weight: 3, arbitrary: some(soupChar, 14) },
    { weight: 1, arbitrary: fc.tuple(name, some(soupChar, 12)).map(([first, rest]) => `${first} ${rest}`) },
    { weight: 2, arbitrary: mutated(realistic) },
  );
}
