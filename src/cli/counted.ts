/** `1 byte`, `2 bytes`: for nouns that take an s. */
export function counted(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? "" : "s"}`;
}
