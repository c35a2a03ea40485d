import { REMEMBERED_CHARS_MAX, REMEMBERED_WORDS_MAX } from "./limits.ts";

/** A pure function that is asked about the same few words again and again, with its answers kept. Long words are worked out anew. */
export function remembered<Value extends string | object>(answer: (word: string) => Value): (word: string) => Value {
  const known = new Map<string, Value>();
  return (word) => {
    if (word.length > REMEMBERED_CHARS_MAX) return answer(word);
    const before = known.get(word);
    if (before !== undefined) return before;
    // Whoever asks about thousands of words gains nothing from the old ones either.
    if (known.size >= REMEMBERED_WORDS_MAX) known.clear();
    const found = answer(word);
    known.set(word, found);
    return found;
  };
}
