/**
 * Globs over paths: `**` stands for anything, `*` and `?` for anything but a slash, everything else for itself; anchored and
 * case-sensitive. All positions that the pattern could be in are carried along together, so the work is bounded by text times pattern and
 * no text can make it explode: there is nothing to backtrack to.
 */
export type Glob = (text: string) => boolean;

type Token =
  | { readonly kind: "literal"; readonly unit: number }
  | { readonly kind: "one" }
  | { readonly kind: "name" }
  | { readonly kind: "any" };

const SLASH = 0x2f;

export function compileGlob(pattern: string): Glob {
  const prefix = literalPrefix(pattern);
  if (prefix === pattern) return (text) => text === pattern;
  const tokens = tokensOf(pattern.slice(prefix.length));
  return (text) => text.startsWith(prefix) && runs(tokens, text, prefix.length);
}

export function isLiteral(pattern: string): boolean {
  return !/[*?]/.test(pattern);
}

/** Everything before the first `*` or `?`. */
export function literalPrefix(pattern: string): string {
  const at = pattern.search(/[*?]/);
  return at < 0 ? pattern : pattern.slice(0, at);
}

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [piece] of pattern.matchAll(/\*\*+|\*|\?|[^*?]+/g)) {
    if (piece.startsWith("**")) tokens.push({ kind: "any" });
    else if (piece === "*") tokens.push({ kind: "name" });
    else if (piece === "?") tokens.push({ kind: "one" });
    else for (let at = 0; at < piece.length; at += 1) tokens.push({ kind: "literal", unit: piece.charCodeAt(at) });
  }
  return tokens;
}

/** `here[i]` says that everything before token i has matched the text so far. */
function runs(tokens: readonly Token[], text: string, from: number): boolean {
  let here = new Uint8Array(tokens.length + 1);
  let next = new Uint8Array(tokens.length + 1);
  here[0] = 1;
  passStars(tokens, here);
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    next.fill(0);
    let alive = false;
    for (let i = 0; i < tokens.length; i += 1) {
      const token = tokens[i];
      if (here[i] === 0 || token === undefined || !accepts(token, unit)) continue;
      next[token.kind === "any" || token.kind === "name" ? i : i + 1] = 1;
      alive = true;
    }
    if (!alive) return false;
    passStars(tokens, next);
    [here, next] = [next, here];
  }
  return here[tokens.length] === 1;
}

/** A star may stand for nothing at all. */
function passStars(tokens: readonly Token[], set: Uint8Array): void {
  for (let i = 0; i < tokens.length; i += 1) {
    const kind = tokens[i]?.kind;
    if (set[i] === 1 && (kind === "any" || kind === "name")) set[i + 1] = 1;
  }
}

function accepts(token: Token, unit: number): boolean {
  switch (token.kind) {
    case "any":
      return true;
    case "name":
    case "one":
      return unit !== SLASH;
    case "literal":
      return unit === token.unit;
  }
}
