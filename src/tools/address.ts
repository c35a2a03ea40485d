import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * Addresses that a fetch on an agent's behalf must not reach. IANA's special-purpose registries, and for IPv6 everything outside of global
 * unicast. Forms that wrap another address (mapped, 6to4, NAT64, Teredo, ISATAP) are refused whole: where they end up is the network's secret.
 */
const BLOCKED_V4 = subnets("ipv4", `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
`); // biome-ignore format: a table
const BLOCKED_V6 = subnets("ipv6", `::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20`);

const INTERNAL_NAMES = ["localhost", "localdomain", "local", "internal"] as const;

/** Anything but the one canonical spelling is blocked as well: `0x7f.1` and `010.0.0.1` mean different things to different readers. */
export function isBlockedAddress(address: string): boolean {
  if (isIPv4(address)) return BLOCKED_V4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return true;
  return BLOCKED_V6.check(address, "ipv6") || ISATAP.test(canonicalV6(address));
}

/** RFC 5214 section 6.1: an IPv4 address behind `0:5efe` or `200:5efe`, in any network. */
const ISATAP = /:(?:0:|200:|:)5efe:[0-9a-f]{1,4}:[0-9a-f]{1,4}$/;

function canonicalV6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

export function isInternalName(host: string): boolean {
  return INTERNAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

/** A host as it stands in a URL, name or address. */
export function isBlockedHost(host: string): boolean {
  const plain = hostOf(host);
  if (plain === null) return true;
  return isAddressLike(plain) ? isBlockedAddress(plain) : isInternalName(plain);
}

/** Lower case, without brackets and without one final dot; `null` for what is no host. */
export function hostOf(text: string): string | null {
  const host = text
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
  const isName = host !== "" && host.split(".").every((label) => label !== "" && /^[a-z0-9_-]+$/.test(label));
  return isName || isIPv6(host) ? host : null;
}

/** URL Standard, "ends in a number checker": what looks like an address is read as one, and never as a name. */
export function isAddressLike(host: string): boolean {
  return isIPv6(host) || /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host);
}

/** A network as an operator writes it, `10.0.0.0/8` or one address; `null` when it is none. */
export function parseNetwork(text: string): { readonly address: string; readonly bits: number; readonly family: "ipv4" | "ipv6" } | null {
  const [, written = "", slash, digits = ""] = /^(.*?)(\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = written.replace(/^\[(.*)\]$/, "$1");
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) && !address.includes("%") ? "ipv6" : null;
  if (family === null) return null;
  const whole = family === "ipv4" ? 32 : 128;
  const bits = slash === undefined ? whole : Number(digits);
  return bits > whole ? null : { address, bits, family };
}

function subnets(family: "ipv4" | "ipv6", table: string): BlockList {
  const list = new BlockList();
  for (const each of table.trim().split(/\s+/)) {
    const network = parseNetwork(each);
    if (network === null) throw new Error(`not a network: ${each}`);
    list.addSubnet(network.address, network.bits, family);
  }
  return list;
}
