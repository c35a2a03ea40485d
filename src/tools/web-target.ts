import { isIPv4, isIPv6 } from "node:net";
import { fail, ok, type Result } from "../core/result.ts";
import { hostOf, isAddressLike } from "./address.ts";

/** A URL that every reader reads alike. */
export interface WebTarget {
  /** Lower case, punycode, no final dot, no brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly origin: string;
}

/**
 * The gateway fetches with a parser of its own, so whatever parsers are known to disagree on is refused here: blanks, controls and
 * backslashes, a second `@`, missing or extra slashes, percent signs in the host, letters that fold into ASCII, and addresses in any but
 * their canonical spelling.
 */
export function parseTarget(text: string): Result<WebTarget, "scheme" | "malformed"> {
  const [, scheme, authority = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/.exec(text) ?? [];
  if (scheme === undefined || !["http", "https"].includes(scheme.toLowerCase())) return fail("scheme");
  const url = parseUrl(text);
  const written = /^(?:[^@]*@)?(\[[^\]@]*\]|[^:@[\]]*)(?::\d*)?$/.exec(authority)?.[1];
  if (url === null || written === undefined || /[\x00-\x20\x7f\\]/.test(text)) return fail("malformed");
  const host = hostOf(url.hostname);
  if (host === null || !isPlainlyMeant(written, host)) return fail("malformed");
  return ok({ host, isAddress: isAddressLike(host), origin: url.origin });
}

/** Whether the host was written as it came out: nothing was decoded, folded into ASCII, or read as an address that it does not look like. */
function isPlainlyMeant(written: string, host: string): boolean {
  if (isIPv6(host)) return written.startsWith("[");
  if (isIPv4(host)) return written === host;
  return /^[\x00-\x7f]*$/.test(written) ? hostOf(written) === host : host.includes("xn--");
}

export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
