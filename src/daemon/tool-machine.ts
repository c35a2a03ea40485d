/** What rules about a tool's arguments ask of this machine: links, sizes, and the addresses that a name stands for right now. */
import { lookup } from "node:dns/promises";
import { readlinkSync, realpathSync, statSync } from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../core/absolute-path.ts";
import { NAME_LOOKUP_WITHIN_MS } from "../core/limits.ts";
import { errnoOf } from "../store/io-denial.ts";
import type { ToolMachine } from "../tools/tool-call.ts";

/** Names are looked up before anything is judged, because judging is pure; a name that is not looked up has no address. */
export async function toolMachineFor(
  places: { readonly home: AbsolutePath; readonly stateDirectory: AbsolutePath },
  namesFor: (machine: ToolMachine) => readonly string[],
): Promise<ToolMachine> {
  const looking: ToolMachine = {
    ...places,
    linkAt,
    realPath: (path) =>
      quietly(() => {
        const real = parseAbsolutePath(realpathSync.native(path));
        return real.ok ? real.value : null;
      }),
    sizeOf: (path) => quietly(() => statSync(path).size),
    addressesOf: () => null,
  };
  const names = namesFor(looking);
  const addresses = new Map(await Promise.all(names.map(async (name) => [name, await addressesOf(name)] as const)));
  return { ...looking, addressesOf: (host) => addresses.get(host) ?? null };
}

/** readlink(2): EINVAL is a file that is no link, ENOENT and ENOTDIR are nothing at all. Anything else hides what is there. */
function linkAt(path: AbsolutePath): ReturnType<ToolMachine["linkAt"]> {
  try {
    return { target: readlinkSync(path) };
  } catch (error) {
    return ["EINVAL", "ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "") ? "none" : "hidden";
  }
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
