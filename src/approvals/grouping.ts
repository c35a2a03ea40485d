import type { ApprovalId } from "../core/ids.ts";
import type { Approval } from "./approval.ts";

/** The ids of those approvals that share something, in the order of asking, under the name of what they share. */
export interface Grouping {
  /** To be told of every change: `undefined` stands for an approval that was not there yet, or is there no longer. */
  moved(before: Approval | undefined, after: Approval | undefined): void;
  /** Those of one name as they are now; it changes along with the grouping. */
  under(name: string): ReadonlySet<ApprovalId>;
  /** Takes one out that will not be asked for any more. It does not come back by a change that leaves its name as it is. */
  drop(name: string, id: ApprovalId): void;
  clear(): void;
}

const NONE: ReadonlySet<ApprovalId> = new Set();

/** `nameOf` says where an approval belongs, and `null` when it belongs nowhere. */
export function groupingBy(nameOf: (approval: Approval) => string | null): Grouping {
  const groups = new Map<string, Set<ApprovalId>>();
  const nameIn = (approval: Approval | undefined): string | null => (approval === undefined ? null : nameOf(approval));

  function add(name: string, id: ApprovalId): void {
    const group = groups.get(name);
    if (group === undefined) groups.set(name, new Set([id]));
    else group.add(id);
  }

  function drop(name: string, id: ApprovalId): void {
    const group = groups.get(name);
    group?.delete(id);
    // A name that nobody bears any more is not kept: agents and keys come and go for as long as the daemon lives.
    if (group?.size === 0) groups.delete(name);
  }

  return {
    moved(before, after) {
      const from = nameIn(before);
      const to = nameIn(after);
      if (from === to) return;
      if (before !== undefined && from !== null) drop(from, before.id);
      if (after !== undefined && to !== null) add(to, after.id);
    },
    under: (name) => groups.get(name) ?? NONE,
    drop,
    clear: () => groups.clear(),
  };
}
