/** What an agent chose, inside a sentence of ours: in backticks while it is plain, and not at all otherwise. */
export function printable(text: string): string {
  return /^[\x20-\x5f\x61-\x7e]{1,256}$/.test(text) ? `\`${text}\`` : "it";
}
