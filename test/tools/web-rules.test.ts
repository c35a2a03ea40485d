import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REDIRECTS_PER_CALL_MAX } from "../../src/core/limits.ts";
import { isBlockedAddress, isBlockedHost } from "../../src/tools/address.ts";
import { namesToLookUp } from "../../src/tools/name-lookup.ts";
import { agentId, ask, load, type Question } from "./asking.ts";
import { PUBLIC_ADDRESS, toolMachine } from "./table-machine.ts";

const PUBLIC: Question = { others: [PUBLIC_ADDRESS] };

function fetching(rules: object, url: string, question: Question = PUBLIC): string {
  const { allowed, layers } = ask(load({ tools: { web_fetch: { ...rules } } }), "web_fetch", {
    ...question,
    args: { url, ...question.args },
  });
  return allowed ? "allow" : (layers.at(-1)?.rule ?? "");
}

describe("addresses that are not on the public net", () => {
  test.each([
    ["private", "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1"],
    ["loopback", "127.0.0.1 127.255.255.255 ::1"],
    ["link-local", "169.254.169.254 fe80::1 febf::1 fe80::1%eth0"],
    ["unique-local", "fc00::1 fdff::1"],
    ["unspecified", "0.0.0.0 0.1.2.3 ::"],
    ["multicast", "224.0.0.1 239.255.255.255 ff02::1"],
    ["documentation", "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1"],
    ["benchmark", "198.18.0.1 198.19.255.255 2001:2::1"],
    ["reserved", "240.0.0.1 255.255.255.255 192.0.0.8 192.88.99.1 4000::1 fec0::1"],
    ["shared", "100.64.0.1 100.127.255.255"],
    ["mapped and compatible", "::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::127.0.0.1 ::ffff:0:127.0.0.1"],
    ["6to4, NAT64, Teredo", "2002:7f00:1:: 2002:808:808:: 64:ff9b::7f00:1 64:ff9b:1::1 64:ff9b::8.8.8.8 2001:0:4136:e378::1"],
    ["ISATAP", "2606:4700::5efe:10.0.0.1 2606:4700:1:2:0:5efe:808:808 2606:4700:1:2:200:5efe:7f00:1"],
    [
      "malformed",
      "0x7f000001 0x7f.1 0177.0.0.1 010.0.0.1 2130706433 127.1 1.2.3 1.2.3.4.5 256.1.1.1 1.2.3.4. ::::: 1:2 :: [::1] localhost 8.8.8.8%1",
    ],
  ])("%s", (_, addresses) => {
    for (const address of addresses.split(" ")) expect(`${address} ${String(isBlockedAddress(address))}`).toBe(`${address} true`);
  });

  test("their public neighbours pass", () => {
    for (const address of "9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 169.253.255.255 169.255.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 198.17.255.255 198.20.0.0 223.255.255.255 1.0.0.0 8.8.8.8 2606:4700::1111 2a00:1450::1 2001:4860::8888 2606:4700:1:2:5efe:1:2:3".split(
      " ",
    )) {
      expect(`${address} ${String(isBlockedAddress(address))}`).toBe(`${address} false`);
    }
  });

  test("names that never leave the house are blocked like addresses", () => {
    for (const host of [
      "localhost",
      "LOCALHOST",
      "localhost.",
      "a.localhost",
      "x.localdomain",
      "printer.local",
      "db.internal",
      "[::1]",
      "127.0.0.1",
      "0x7f.1",
      "",
      "a..b",
      "-:",
    ]) {
      expect(`${host} ${String(isBlockedHost(host))}`).toBe(`${host} true`);
    }
    for (const host of ["example.com", "example.com.", "1password.com", "localhost.com", "notlocal", "8.8.8.8", "internal.example"]) {
      expect(`${host} ${String(isBlockedHost(host))}`).toBe(`${host} false`);
    }
  });
});

describe("web_fetch", () => {
  const rules = {
    allowedDomains: ["github.com", "*.npmjs.com", "bücher.example"],
    deniedDomains: ["bad.npmjs.com", "*.deep.npmjs.com", "1.2.3.0/24"],
  };

  test.each([
    ["https://github.com/a?b#c", "allow"],
    ["https://www.github.com/", "allow"],
    ["https://GITHUB.com:8443/", "allow"],
    ["https://github.com./", "allow"],
    ["https://user:pw@github.com/", "allow"],
    ["https://xn--bcher-kva.example/", "allow"],
    ["https://bücher.example/", "allow"],
    ["https://registry.npmjs.com/", "allow"],
    ["https://a.b.npmjs.com/", "allow"],
    ["https://api.github.com/", "not-allowed-domain"],
    ["https://www.www.github.com/", "not-allowed-domain"],
    ["https://npmjs.com/", "not-allowed-domain"],
    ["https://xnpmjs.com/", "not-allowed-domain"],
    ["https://github.com.evil.io/", "not-allowed-domain"],
    ["https://github.com@evil.io/", "not-allowed-domain"],
    ["https://gіthub.com/", "not-allowed-domain"],
    ["https://bad.npmjs.com/", "denied-domain"],
    ["https://x.deep.npmjs.com/", "denied-domain"],
    ["https://deep.npmjs.com/", "denied-domain"],
    ["http://1.2.3.4/", "denied-domain"],
    ["http://8.8.8.8/", "not-allowed-domain"],
    ["http://localhost:3000/", "ssrf"],
    ["http://[::1]/", "ssrf"],
    ["http://[::ffff:127.0.0.1]/", "ssrf"],
    ["http://0x7f.1/", "ssrf"],
    ["http://2130706433/", "ssrf"],
    ["http://0x08080808/", "ssrf"],
    ["http://127.0.0.1./", "ssrf"],
    ["https://github.com\\@evil.io/", "ssrf"],
    ["https://a@b@github.com/", "ssrf"],
    ["https:///github.com/", "ssrf"],
    ["https://git%68ub.com/", "ssrf"],
    ["https://ｇithub.com/", "ssrf"],
    ["https://github.com/a b", "ssrf"],
    ["https://github.com\t/", "ssrf"],
    ["https://github.com:99999/", "ssrf"],
    ["https://github..com/", "ssrf"],
    ["https:github.com", "scheme"],
    ["ftp://github.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["//github.com/", "scheme"],
    [" https://github.com/", "scheme"],
    ["", "scheme"],
  ])("%s: %s", (url, expected) => {
    expect(fetching(rules, url)).toBe(expected);
  });

  test("an address counts only in its one canonical spelling", () => {
    expect(fetching({}, "http://8.8.8.8/")).toBe("allow");
    for (const host of ["8.8.8.8.", "0x8.8.8.8", "010.8.8.8", "134744072", "8.8.2056"])
      expect(fetching({}, `http://${host}/`)).toBe("ssrf");
  });

  test("a name is as good as the worst of its addresses, and one that has none is not fetched", () => {
    const of = (addresses: readonly string[]) => fetching(rules, "https://github.com/", { addresses: { "github.com": addresses } });
    expect(of(["140.82.121.3"])).toBe("allow");
    expect(of(["140.82.121.3", "10.0.0.1"])).toBe("ssrf");
    expect(of(["::ffff:127.0.0.1"])).toBe("ssrf");
    expect(of(["1.2.3.4"])).toBe("denied-domain");
    expect(of(["not an address"])).toBe("ssrf");
    expect(of([])).toBe("ssrf");
    expect(fetching(rules, "https://github.com/", {})).toBe("ssrf");
  });

  test("a private address is reached only where it was listed as an address", () => {
    const own = { allowedDomains: ["nas.example", "192.168.1.0/24", "localhost", "127.0.0.1"] };
    expect(fetching(own, "http://192.168.1.7/")).toBe("allow");
    expect(fetching(own, "http://192.168.2.7/")).toBe("ssrf");
    expect(fetching(own, "http://nas.example/", { addresses: { "nas.example": ["192.168.1.7"] } })).toBe("allow");
    expect(fetching(own, "http://nas.example/", { addresses: { "nas.example": ["192.168.2.7"] } })).toBe("ssrf");
    expect(fetching(own, "http://localhost/", { addresses: { localhost: ["127.0.0.1"] } })).toBe("allow");
    expect(fetching(own, "http://localhost/", { addresses: { localhost: ["::1"] } })).toBe("ssrf");
    expect(fetching(own, "http://evil.example/", { addresses: { "evil.example": ["192.168.1.7"] } })).toBe("not-allowed-domain");
    expect(fetching({ allowedDomains: ["*"] }, "http://10.0.0.1/")).toBe("ssrf");
    expect(fetching({ allowedDomains: ["*"] }, "http://8.8.8.8/")).toBe("allow");
  });

  test("every redirect is judged like a request of its own, and there are at most twenty", () => {
    const via = (redirectTo: string | readonly string[], more = {}) =>
      fetching({ ...rules, ...more }, "https://github.com/", { ...PUBLIC, args: { redirectTo } });
    expect(via("https://registry.npmjs.com/")).toBe("allow");
    expect(via(["https://registry.npmjs.com/", "http://169.254.169.254/"])).toBe("ssrf");
    expect(via("file:///etc/passwd")).toBe("scheme");
    expect(via("https://registry.npmjs.com/", { followRedirects: false })).toBe("redirect");
    expect(via(Array.from({ length: REDIRECTS_PER_CALL_MAX }, () => "https://github.com/"))).toBe("allow");
    expect(via(Array.from({ length: REDIRECTS_PER_CALL_MAX + 1 }, () => "https://github.com/"))).toBe("`args.url` must be a URL");
  });

  test("`enabled: false` takes the tool away, with or without a URL", () => {
    expect(fetching({ enabled: false }, "https://github.com/")).toBe("disabled");
    expect(ask(load({ tools: { web_fetch: { enabled: false } } }), "web_fetch").allowed).toBe(false);
  });

  test("an agent's rules and those of all agents both hold", () => {
    const settings = load({
      tools: { web_fetch: { allowedDomains: ["a.example"] } },
      agents: { main: { tools: { web_fetch: { allowedDomains: ["b.example"] } } } },
    });
    for (const url of ["https://a.example/", "https://b.example/"])
      expect(ask(settings, "web_fetch", { ...PUBLIC, args: { url } }).allowed).toBe(false);
  });

  test("no text gets through to an address that is not public", () => {
    const settings = load({ tools: { web_fetch: {} } });
    const host = fc.oneof(
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6().map((address) => `[${address}]`),
      fc.domain(),
      fc.string(),
    );
    fc.assert(
      fc.property(
        host,
        fc.constantFrom("http://", "https://", "HTTP://", "http:/", "http:\\\\"),
        fc.constantFrom("/", ":80/", "#", "?x", "\\"),
        (name, scheme, rest) => {
          const url = `${scheme}${name}${rest}`;
          if (!ask(settings, "web_fetch", { ...PUBLIC, args: { url } }).allowed) return;
          expect(isBlockedHost(new URL(url).hostname)).toBe(false);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe("looking names up", () => {
  const asking = (rules: object, url: string, ...redirectTo: readonly string[]) =>
    namesToLookUp(
      load({ tools: { web_fetch: { ...rules } } }).tools,
      { tool: "web_fetch", agentId: agentId("main"), context: {}, args: { url, redirectTo } },
      toolMachine(),
    );

  test("tells a name to its server only when everything else about the call was found right", () => {
    expect(asking({ allowedDomains: ["github.com"] }, "https://github.com/")).toEqual(["github.com"]);
    expect(asking({ allowedDomains: ["github.com"] }, "https://secret.evil.example/")).toEqual([]);
    expect(asking({ deniedDomains: ["*.evil.example"] }, "https://secret.evil.example/")).toEqual([]);
    expect(asking({ enabled: false }, "https://github.com/")).toEqual([]);
    expect(asking({}, "http://8.8.8.8/")).toEqual([]);
    expect(asking({ allowedDomains: ["github.com"] }, "https://github.com/", "https://evil.example/")).toEqual([]);
    expect(asking({}, "https://github.com/", "https://npmjs.com/")).toEqual(["github.com", "npmjs.com"]);
  });
});

describe("browser", () => {
  const rules = {
    allowedOrigins: ["https://example.com", "https://*.github.com", "http://localhost:3000"],
    deniedOrigins: ["https://bad.github.com", "https://*.evil.example"],
  };
  const opening = (section: object, url: string) => {
    const { allowed, layers } = ask(load({ tools: { browser: { ...section } } }), "browser", { args: { url } });
    return allowed ? "allow" : (layers.at(-1)?.rule ?? "");
  };

  test.each([
    ["https://example.com/a", "allow"],
    ["https://example.com:443/", "allow"],
    ["https://EXAMPLE.com/", "allow"],
    ["https://docs.github.com/", "allow"],
    ["http://localhost:3000/x", "allow"],
    ["http://example.com/", "not-allowed-origin"],
    ["https://example.com:8443/", "not-allowed-origin"],
    ["https://github.com/", "not-allowed-origin"],
    ["https://xgithub.com/", "not-allowed-origin"],
    ["https://example.com@evil.io/", "not-allowed-origin"],
    ["https://bad.github.com/", "denied-origin"],
    ["file:///etc/passwd", "scheme"],
    ["about:blank", "scheme"],
    ["javascript:1", "scheme"],
  ])("%s: %s", (url, expected) => {
    expect(opening(rules, url)).toBe(expected);
  });

  test("an empty list lets every origin pass that is not denied; a denied star covers its domain too", () => {
    const open = { deniedOrigins: rules.deniedOrigins };
    expect(opening(open, "https://anything.example/")).toBe("allow");
    expect(opening(open, "https://evil.example/")).toBe("denied-origin");
    expect(opening(open, "https://a.evil.example/")).toBe("denied-origin");
    expect(opening({ enabled: false }, "https://example.com/")).toBe("disabled");
  });
});
