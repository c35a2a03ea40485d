import type { JsonObject } from "../core/json.ts";
import type { EnforcementLevel } from "../policy/exec-settings.ts";
import type { Enforcement } from "./exec-host.ts";
import type { OwnProcess } from "./own-process.ts";
import type { Probed } from "./probe.ts";
import { lowestOf } from "./start.ts";

interface Part {
  readonly part: string;
  readonly level: EnforcementLevel;
  /** In plain words: what it is that holds. */
  readonly rests: string;
}

/** What each part of the promise rests on, for `status` and `doctor`. The whole is worth as much as the weakest part of what starts. */
export function enforcementOf(probed: Probed | null, own: OwnProcess, canPin: boolean): Enforcement {
  const starting = probed === null ? withoutNative(canPin) : withNative(probed);
  const parts = [...starting, treeOf(own, canPin)];
  return { level: lowestOf(starting.map(({ level }) => level)), parts: parts.map((part): JsonObject => ({ ...part })) };
}

function withNative({ leasesHold }: Probed): readonly Part[] {
  return [
    { part: "script", level: "sealed", rests: "an anonymous copy with all seals set, read by the interpreter through a descriptor" },
    {
      part: "executable",
      level: "sealed",
      rests: leasesHold
        ? "started by its descriptor under a read lease, and kept from writers by the kernel while it runs"
        : "started from a sealed copy, because a running program can be written to here or leases are refused",
    },
    { part: "cwd", level: "sealed", rests: "an open directory that the child changes into by its descriptor" },
  ];
}

function withoutNative(canPin: boolean): readonly Part[] {
  const level = canPin ? "pinned" : "checked";
  return [
    {
      part: "script",
      level,
      rests: canPin
        ? "a private copy of the bytes that were hashed, read through a descriptor"
        : "hashed again right before the start, then opened by its path",
    },
    {
      part: "executable",
      level,
      rests: canPin
        ? "started by its descriptor, and hashed again after the start"
        : "hashed again right before the start, then started by its path",
    },
    { part: "cwd", level, rests: canPin ? "an open directory, entered through /proc" : "entered by its path" },
  ];
}

function treeOf({ isSubreaper }: OwnProcess, canPin: boolean): Part {
  if (isSubreaper) return { part: "tree", level: "sealed", rests: "orphans of a run come to the daemon, which ends them all" };
  if (canPin)
    return { part: "tree", level: "pinned", rests: "processes are found by session and by the run's marker in their environment" };
  return { part: "tree", level: "checked", rests: "the process group of the command" };
}
