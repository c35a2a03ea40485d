/** The netstring of a text's UTF-8 bytes: decimal length, colon, bytes, comma. No two lists of texts share a concatenation of these. */
export function netstring(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([Buffer.from(`${bytes.length}:`, "latin1"), bytes, Buffer.from(",", "latin1")]);
}

export function netstrings(texts: readonly string[]): Buffer {
  return Buffer.concat(texts.map(netstring));
}
