import { isBlockedAddress, isInternalName } from "./address.ts";
import { compileDomains, type DomainList } from "./domain-list.ts";
import type { ToolMachine } from "./tool-call.ts";
import type { FetchSection } from "./tool-config.ts";
import { parseTarget, type WebTarget } from "./web-target.ts";

/** Why a fetch is refused. `ssrf`: it would reach an address that is not on the public net, or one that cannot be told. */
export type FetchRefusal = "disabled" | "scheme" | "denied-domain" | "ssrf" | "not-allowed-domain" | "redirect";

export interface FetchRules {
  /** The URL first, then every redirect in order. Each is judged like a request of its own. */
  judge(urls: readonly string[], machine: Pick<ToolMachine, "addressesOf">): FetchRefusal | null;
}

export function compileFetch(section: FetchSection): FetchRules {
  const denied = compileDomains(section.deniedDomains ?? [], true);
  const allowed = compileDomains(section.allowedDomains ?? [], false);
  return {
    judge(urls, machine) {
      if (section.enabled === false) return "disabled";
      if (section.followRedirects === false && urls.length > 1) return "redirect";
      for (const url of urls) {
        const target = parseTarget(url);
        const refusal = target.ok ? refusalOf(target.value, denied, allowed, machine) : target.failure === "scheme" ? "scheme" : "ssrf";
        if (refusal !== null) return refusal;
      }
      return null;
    },
  };
}

function refusalOf(
  { host, isAddress }: WebTarget,
  denied: DomainList,
  allowed: DomainList,
  machine: Pick<ToolMachine, "addressesOf">,
): FetchRefusal | null {
  if (isAddress) {
    const refusal = refusalOfAddress(host, denied, allowed);
    if (refusal !== null) return refusal;
    return allowed.isEmpty || allowed.hasAddress(host) || allowed.findName(host) !== null ? null : "not-allowed-domain";
  }
  if (denied.findName(host) !== null) return "denied-domain";
  if (isInternalName(host) && !allowed.namesExactly(host)) return "ssrf";
  if (!allowed.isEmpty && allowed.findName(host) === null) return "not-allowed-domain";
  // A listed name does not vouch for its addresses: whoever runs its DNS could point it at the machine next door.
  const addresses = machine.addressesOf(host);
  if (addresses === null || addresses.length === 0) return "ssrf";
  for (const address of addresses) {
    const refusal = refusalOfAddress(address, denied, allowed);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refusalOfAddress(address: string, denied: DomainList, allowed: DomainList): FetchRefusal | null {
  if (denied.hasAddress(address)) return "denied-domain";
  return isBlockedAddress(address) && !allowed.hasAddress(address) ? "ssrf" : null;
}
