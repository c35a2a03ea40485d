/** The limit on descriptors that children start with. posix_spawn(3) has no attribute for it: they inherit ours as it is at that moment. */
import { readdirSync } from "node:fs";
import { DESCRIPTORS_COUNTED_EVERY_MS } from "../core/limits.ts";
import type { Native } from "../native/native.ts";
import type { DescriptorLimit, OwnProcess } from "./own-process.ts";

export interface ChildLimit {
  /** For a start that is over when this returns. */
  during<Value>(spawn: () => Value): Value;
  /**
   * For one that goes on beside us: ours is the child's until the last of those calls what it was given here. `null` where we have so many
   * open ourselves that we could run out meanwhile.
   */
  enter(): (() => void) | null;
  /**
   * For what we open ourselves meanwhile: where the child's limit would not have it, ours holds again, and whoever is just being started may be
   * born with it.
   */
  within<Value>(open: () => Value): Value;
}

const THE_SAME: ChildLimit = { during: (spawn) => spawn(), enter: () => () => undefined, within: (open) => open() };

export function childLimitOf(native: Native, { childDescriptors, ownDescriptors }: OwnProcess): ChildLimit {
  return childDescriptors === null || ownDescriptors === null ? THE_SAME : changing(native, childDescriptors, ownDescriptors);
}

function changing(native: Native, childs: DescriptorLimit, own: DescriptorLimit): ChildLimit {
  let inside = 0;
  let counted = Number.POSITIVE_INFINITY;
  let countedAtMs = Number.NEGATIVE_INFINITY;

  function begin(): void {
    inside += 1;
    if (inside === 1) native.setDescriptorLimit(childs.soft, childs.hard);
  }

  function end(): void {
    inside -= 1;
    if (inside === 0) native.setDescriptorLimit(own.soft, own.hard);
  }

  function hasRoom(): boolean {
    const nowMs = performance.now();
    if (nowMs - countedAtMs > DESCRIPTORS_COUNTED_EVERY_MS) {
      counted = openDescriptors();
      countedAtMs = nowMs;
    }
    return counted < childs.soft / 2;
  }

  return {
    during(spawn) {
      begin();
      try {
        return spawn();
      } finally {
        end();
      }
    },
    enter() {
      if (!hasRoom()) return null;
      begin();
      return end;
    },
    within(open) {
      try {
        return open();
      } catch (error) {
        if (inside === 0) throw error;
        native.setDescriptorLimit(own.soft, own.hard);
        return open();
      }
    },
  };
}

/** Where they cannot be counted, there may be no room for the one that counting takes. */
function openDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
