import { tokenize } from "../analysis/tokenize.ts";

/**
 * Whether the text a client showed stands for the words it sends to be run. What is run and shown here is always the words; a client that
 * shows its people something else is refused all the same (GHSA-2j8v-hwgc-x698). Accepted are the words as our own grammar reads them, the
 * words as OpenClaw joins them, and the text that a shell is given after `-c`.
 */
export function rawCommandMatches(raw: string, argv: readonly string[]): boolean {
  const shown = raw.trim();
  if (shown === "" || shown === argv.map(joined).join(" ") || shown === argv.map((word) => joined(word.trim())).join(" ")) return true;
  if (argv.some((word, index) => word.trim() === shown && /^-[A-Za-z]*c$/.test(argv[index - 1] ?? ""))) return true;
  const read = tokenize(shown);
  const [only, ...rest] = read.ok ? read.value : [];
  return only !== undefined && rest.length === 0 && only.operator === null && sameWords(only.argv, argv);
}

function joined(word: string): string {
  return word !== "" && !/[\s"]/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
}

function sameWords(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((word, index) => word === others[index]);
}
