/** Everything that `countersign watch` knows and shows. A key, an event or a tick of the clock turns one state into the next; see react.ts. */
import { WATCH_RECENT_MAX } from "../../core/limits.ts";
import type { Pending } from "./pending.ts";

export interface WatchState {
  readonly size: Size;
  readonly pending: ReadonlyMap<string, Pending>;
  /** In the order of arrival, so that nothing moves under the cursor when something new comes. */
  readonly groups: readonly Group[];
  readonly selected: string | null;
  readonly view: View;
  readonly connection: { readonly kind: "connected" } | { readonly kind: "lost"; readonly reason: string; readonly retryAtMs: number };
  readonly notice: string | null;
  /** Sent to the daemon and not yet answered by it. */
  readonly answering: ReadonlySet<string>;
  readonly recent: readonly Recent[];
}

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Requests that are the same in every respect. */
export interface Group {
  readonly key: string;
  readonly ids: readonly string[];
  readonly first: Pending;
}

export interface Recent {
  readonly id: string;
  readonly atMs: number;
  readonly how: string;
  readonly command: string;
}

export type View = { readonly kind: "list" } | { readonly kind: "help" } | Prompt;

/**
 * A question that is being read. It holds the requests it was opened for: an answer goes to those and to no others, whatever arrives or
 * leaves in the meantime.
 */
export interface Prompt {
  readonly kind: "prompt";
  readonly ids: readonly string[];
  readonly shown: Pending;
  /** The daemon has been asked for everything it knows; until then nothing can be allowed. */
  readonly loaded: boolean;
  readonly top: number;
  /** How many lines have been on the screen. What was not looked at to its end cannot be allowed. */
  readonly seen: number;
  readonly step: Step;
  readonly appearedAtMs: number;
  /** Why it can no longer be answered. */
  readonly gone: string | null;
}

export type Step =
  | { readonly kind: "read" }
  | { readonly kind: "files"; readonly top: number }
  | { readonly kind: "reason"; readonly text: string }
  | { readonly kind: "bounds"; readonly text: string; readonly problem: string | null }
  | { readonly kind: "scope"; readonly bounds: Bounds }
  | { readonly kind: "confirm"; readonly answer: Answer };

export interface Bounds {
  readonly expiresInMs?: number;
  readonly uses?: number;
}

export type Answer =
  | { readonly decision: "allow-once" }
  | { readonly decision: "allow-always"; readonly scope: "executable" | "command"; readonly bounds: Bounds }
  | { readonly decision: "deny"; readonly reason: string };

export type Effect =
  | { readonly kind: "resolve"; readonly ids: readonly string[]; readonly answer: Answer }
  | { readonly kind: "fetch"; readonly id: string }
  /** For the bell and the desktop. */
  | { readonly kind: "announce"; readonly pending: Pending }
  | { readonly kind: "quit" };

export interface Reaction {
  readonly state: WatchState;
  readonly effects: readonly Effect[];
}

export function initialState(size: Size): WatchState {
  return {
    size,
    pending: new Map(),
    groups: [],
    selected: null,
    view: { kind: "list" },
    connection: { kind: "connected" },
    notice: null,
    answering: new Set(),
    recent: [],
  };
}

/** Keeps the cursor on what it was on; where that is gone, on what took its place. */
export function withPending(state: WatchState, pending: ReadonlyMap<string, Pending>): WatchState {
  const groups = groupsOf(pending);
  const stays = groups.some(({ key }) => key === state.selected);
  const place = state.groups.findIndex(({ key }) => key === state.selected);
  const next = groups[Math.min(Math.max(place, 0), groups.length - 1)]?.key ?? null;
  return { ...state, pending, groups, selected: stays ? state.selected : next };
}

function groupsOf(pending: ReadonlyMap<string, Pending>): readonly Group[] {
  const groups = new Map<string, { readonly key: string; readonly ids: string[]; readonly first: Pending }>();
  for (const one of pending.values()) {
    const group = groups.get(one.group);
    if (group === undefined) groups.set(one.group, { key: one.group, ids: [one.id], first: one });
    else group.ids.push(one.id);
  }
  return [...groups.values()];
}

export function remembered(state: WatchState, recent: Recent): WatchState {
  return { ...state, recent: [recent, ...state.recent].slice(0, WATCH_RECENT_MAX) };
}
