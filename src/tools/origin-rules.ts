import type { BrowserSection } from "./tool-config.ts";
import { parseTarget, parseUrl } from "./web-target.ts";

/** Which pages a browser may open: scheme, host and port together, RFC 6454. */
export interface OriginRules {
  /** Why the page is refused, or `null`. */
  judge(url: string): "disabled" | "scheme" | "denied-origin" | "not-allowed-origin" | null;
}

export function compileOrigins(section: BrowserSection): OriginRules {
  const allowed = (section.allowedOrigins ?? []).map((entry) => originMatcher(entry, false));
  const denied = (section.deniedOrigins ?? []).map((entry) => originMatcher(entry, true));
  return {
    judge(url) {
      if (section.enabled === false) return "disabled";
      const target = parseTarget(url);
      if (!target.ok) return "scheme";
      const { origin } = target.value;
      if (denied.some((matches) => matches(origin))) return "denied-origin";
      return allowed.length === 0 || allowed.some((matches) => matches(origin)) ? null : "not-allowed-origin";
    },
  };
}

/** What is wrong with an entry, to complete "`path` …"; `null` when nothing is. */
export function objectionToOrigin(entry: string): string | null {
  const parsed = /^https?:\/\/(?:\*\.)?[^/*@?#\s]+$/.test(entry) && parseUrl(entry.replace("://*.", "://")) !== null;
  return parsed ? null : "must be a scheme and a host, as in `https://*.github.com`";
}

/** A star covers subdomains; in a list that denies, the domain itself as well. */
function originMatcher(entry: string, apexToo: boolean): (origin: string) => boolean {
  const plain = parseUrl(entry.replace("://*.", "://"))?.origin ?? null;
  if (plain === null) return () => apexToo;
  if (!entry.includes("://*.")) return (origin) => origin === plain;
  const [scheme = "", rest = ""] = plain.split("://");
  return (origin) => (apexToo && origin === plain) || (origin.startsWith(`${scheme}://`) && origin.endsWith(`.${rest}`));
}
