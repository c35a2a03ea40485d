import { BlockList, isIPv4 } from "node:net";
import { hostOf, isAddressLike, parseNetwork } from "./address.ts";
import { parseUrl } from "./web-target.ts";

/** Domains, `*.` and a domain, addresses and networks. A domain covers itself and its `www.`; subdomains only when written with a star. */
export interface DomainList {
  readonly isEmpty: boolean;
  /** The entry that covers a host name. */
  findName(host: string): string | null;
  /** Whether an address was listed as such, alone or in a network. */
  hasAddress(address: string): boolean;
  /** Whether the name itself was written down, not covered by a star. */
  namesExactly(host: string): boolean;
}

/** With `apexToo` a star also covers the domain that it stands before: for lists that deny. */
export function compileDomains(written: readonly string[], apexToo: boolean): DomainList {
  const exact = new Map<string, string>();
  const under = new Map<string, string>();
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of written) {
    const network = parseNetwork(entry);
    const domain = network === null ? canonicalDomain(entry.replace(/^\*\./, "")) : null;
    if (network !== null) networks[network.family].addSubnet(network.address, network.bits, network.family);
    else if (entry === "*") under.set("", entry);
    else if (domain !== null) (entry.startsWith("*.") ? under : exact).set(domain, entry);
  }
  return {
    isEmpty: written.length === 0,
    findName: (host) => exact.get(host) ?? exact.get(host.replace(/^www\./, "")) ?? suffixOf(host, under, apexToo),
    hasAddress: (address) => (isIPv4(address) ? networks.ipv4.check(address, "ipv4") : networks.ipv6.check(address, "ipv6")),
    namesExactly: (host) => exact.has(host),
  };
}

/** What is wrong with an entry, to complete "`path` …"; `null` when nothing is. */
export function objectionToDomain(entry: string): string | null {
  if (entry === "*" || parseNetwork(entry) !== null) return null;
  const domain = canonicalDomain(entry.replace(/^\*\./, ""));
  return domain === null ? "must be a domain, an address or a network, without scheme, port or path" : null;
}

/** As a URL would have it: lower case, punycode, no final dot. */
function canonicalDomain(text: string): string | null {
  if (/[/@?#\\:\s*%]/.test(text)) return null;
  const url = parseUrl(`http://${text}/`);
  const host = url === null ? null : hostOf(url.hostname);
  return host === null || isAddressLike(host) ? null : host;
}

function suffixOf(host: string, under: ReadonlyMap<string, string>, apexToo: boolean): string | null {
  if (under.size === 0) return null;
  const all = under.get("");
  if (all !== undefined) return all;
  const apex = apexToo ? under.get(host) : undefined;
  if (apex !== undefined) return apex;
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    const found = under.get(host.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return null;
}
