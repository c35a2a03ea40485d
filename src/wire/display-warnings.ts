/** What the eye passes over in a command: characters that look like others, letters of two alphabets in one word, padding, length. */
import type { Argv } from "../core/argv.ts";
import { codePointName, glyphsOf } from "./visible.ts";

const LONG_WORD_BYTES = 400;
const RUN_CHARS = 16;
const WARNINGS_MAX = 32;

export function warningsOf(argv: Argv): readonly string[] {
  const found = argv.flatMap((word, index) =>
    [
      ...(/^[\x21-\x7e]*$/.test(word) ? [] : [...invisible(word), ...lookalikes(word), ...scripts(word), ...runs(word)]),
      ...length(word),
    ].map((warning) => `word ${index + 1} ${warning}`),
  );
  const program = argv[0];
  const all = /[^\x00-\x7f]/.test(program) ? ["the program's name is not plain ASCII", ...found] : found;
  return all.length > WARNINGS_MAX ? [...all.slice(0, WARNINGS_MAX), `and ${all.length - WARNINGS_MAX} more warnings like these`] : all;
}

function invisible(word: string): readonly string[] {
  const hidden = [
    ...new Set(
      glyphsOf(word)
        .filter((glyph) => !glyph.visible)
        .map((glyph) => glyph.char),
    ),
  ];
  if (hidden.length === 0) return [];
  const named = hidden.slice(0, 8).map(codePointName).join(", ");
  return [`holds characters that do not show, or move others about: ${named}${hidden.length > 8 ? " …" : ""}`];
}

/** Marks that pass for ASCII punctuation and have no compatibility form that says so; from Unicode's confusables (UTS #39). */
const PUNCTUATION_LOOKALIKES = new Map<string, string>([
  ...pairs("-", "‐‑‒–—―−﹘➖ⲻ"),
  ...pairs("/", "⁄∕⟋⧸╱⼃〳"),
  ...pairs("\\", "∖⟍⧵⧹﹨"),
  ...pairs(".", "٠۰․"),
  ...pairs(":", "ː˸։׃∶꞉"),
  ...pairs("~", "˜∼⁓"),
  ...pairs("|", "ǀ∣⏽"),
  ...pairs(";", ";"),
  ...pairs("'", "ʹʼˈ"),
  ...pairs("`", "ˋ"),
  ...pairs("$", "﹩"),
  ...pairs("&", "ꝸ"),
]);
/** Common in prose, where they mislead nobody; at the start of a word they pass for an option. */
const DASHES_OF_PROSE = /^[–—―]$/u;

function pairs(ascii: string, likes: string): [string, string][] {
  return Array.from(likes, (like) => [like, ascii]);
}

function lookalikes(word: string): readonly string[] {
  const warnings = new Set<string>();
  for (const [at, char] of Array.from(word).entries()) {
    const ascii = asciiLookOf(char);
    if (ascii === null || (at > 0 && DASHES_OF_PROSE.test(char))) continue;
    warnings.add(`holds ${char} (${codePointName(char)}), which is not \`${ascii}\``);
  }
  return [...warnings].slice(0, 8);
}

/** Full width, mathematical, super- and subscript forms fold to one ASCII character (NFKC). */
function asciiLookOf(char: string): string | null {
  if (char <= "\x7f") return null;
  const folded = char.normalize("NFKC");
  if (/^[\x21-\x7e]$/.test(folded)) return folded;
  return PUNCTUATION_LOOKALIKES.get(char) ?? null;
}

const LATIN = /\p{Script=Latin}/u;
/** The alphabets whose letters are mistaken for Latin ones. */
const ALPHABETS = [
  { name: "Cyrillic", letter: /\p{Script=Cyrillic}/u, latinLooks: /^[аВЕеЅѕІіЈјКМНОоРрСсТуУХхһԁԛԜԝҮүҺЬьӀӏ]+$/u },
  { name: "Greek", letter: /\p{Script=Greek}/u, latinLooks: /^[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρυικ]+$/u },
  { name: "Armenian", letter: /\p{Script=Armenian}/u, latinLooks: /^[ՍՕօոսցհյզ]+$/u },
  { name: "Cherokee", letter: /\p{Script=Cherokee}/u, latinLooks: /^[ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏆᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏭᏴ]+$/u },
  { name: "Coptic", letter: /\p{Script=Coptic}/u, latinLooks: /^[ⲞⲟⲢⲣⲤⲥ]+$/u },
  { name: "Lisu", letter: /\p{Script=Lisu}/u, latinLooks: /^[ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ]+$/u },
] as const;

/** Judged part by part, as people read: `пример/file.txt` is two words to the eye, `раypal` is one. */
function scripts(word: string): readonly string[] {
  const warnings = new Set<string>();
  for (const part of word.match(/[\p{L}\p{M}]+/gu) ?? []) {
    for (const { name, letter, latinLooks } of ALPHABETS) {
      if (!letter.test(part)) continue;
      if (LATIN.test(part)) warnings.add(`mixes Latin and ${name} letters in one name`);
      else if (latinLooks.test(part)) warnings.add(`is written in ${name} letters that look Latin`);
    }
  }
  return [...warnings];
}

function runs(word: string): readonly string[] {
  const longest = (word.match(/\s{2,}/gu) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return longest < RUN_CHARS ? [] : [`holds ${longest} spaces or line breaks in a row; look at what follows them`];
}

function length(word: string): readonly string[] {
  const bytes = Buffer.byteLength(word, "utf8");
  return bytes < LONG_WORD_BYTES ? [] : [`is ${bytes} bytes long; read it to its end`];
}
