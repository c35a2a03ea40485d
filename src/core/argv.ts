/** Never empty: the first word is the program. */
export type Argv = readonly [string, ...string[]];

export function toArgv(words: readonly string[]): Argv | null {
  return isArgv(words) ? words : null;
}

function isArgv(words: readonly string[]): words is Argv {
  return words.length > 0;
}
