/** What rules about a tool's arguments ask of this machine: links, sizes, and the addresses that a name stands for right now. */
import { lookup } from "node:dns/promises";
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { type AbsolutePath, parseAbsolutePath } from "../core/absolute-path.ts";
import type { JsonObject } from "../core/json.ts";
import { NAME_LOOKUP_WITHIN_MS, REDIRECTS_PER_CALL_MAX } from "../core/limits.ts";
import { isList } from "../policy/document-fields.ts";
import type { ToolMachine } from "../tools/tool-call.ts";

/** Looked up before anything is judged, because judging is pure; a name that is not in here has no address. */
export async function toolMachineFor(
  places: { readonly home: AbsolutePath; readonly stateDirectory: AbsolutePath },
  args: JsonObject | undefined,
): Promise<ToolMachine> {
  const hosts = hostsIn(args ?? {});
  const addresses = new Map(await Promise.all(hosts.map(async (host) => [host, await addressesOf(host)] as const)));
  return {
    ...places,
    linkTarget: (path) => quietly(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null)),
    realPath: (path) =>
      quietly(() => {
        const real = parseAbsolutePath(realpathSync.native(path));
        return real.ok ? real.value : null;
      }),
    sizeOf: (path) => quietly(() => statSync(path).size),
    addressesOf: (host) => addresses.get(host) ?? null,
  };
}

/** Of the address and of everything it was redirected to; addresses that are numbers already need no looking up. */
function hostsIn({ url, redirectTo }: JsonObject): readonly string[] {
  const urls = [url, ...(isList(redirectTo) ? redirectTo : [redirectTo])].slice(0, 1 + REDIRECTS_PER_CALL_MAX);
  const hosts = urls.flatMap((each) => (typeof each === "string" && URL.canParse(each) ? [new URL(each).hostname] : []));
  return [...new Set(hosts)].filter((host) => host !== "" && isIP(host.replace(/^\[|\]$/g, "")) === 0);
}

async function addressesOf(host: string): Promise<readonly string[] | null> {
  const late = new Promise<null>((settle) => setTimeout(settle, NAME_LOOKUP_WITHIN_MS, null).unref());
  const found = lookup(host, { all: true, verbatim: true }).then(
    (all) => all.map(({ address }) => address),
    () => null,
  );
  return Promise.race([found, late]);
}

/** What cannot be looked at is not there, as far as a rule is concerned. */
function quietly<Value>(look: () => Value): Value | null {
  try {
    return look();
  } catch {
    return null;
  }
}
