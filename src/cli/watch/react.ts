/** The heart of `watch`: what each key and each event does. No terminal, no socket, no clock of its own. */
import type { Key } from "./keys.ts";
import type { Pending } from "./pending.ts";
import { openPrompt, promptKey, reseen } from "./react-prompt.ts";
import { type Reaction, type Recent, remembered, type Size, type WatchState, withPending } from "./state.ts";

export type Input =
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "resized"; readonly size: Size }
  /** The whole list, after every connect: what happened while nobody listened is in it. */
  | { readonly kind: "synced"; readonly pending: readonly Pending[] }
  | { readonly kind: "arrived"; readonly pending: Pending }
  | { readonly kind: "settled"; readonly id: string; readonly how: string }
  | { readonly kind: "fetched"; readonly id: string; readonly pending: Pending | null }
  | { readonly kind: "answered"; readonly id: string; readonly how: string; readonly failure: string | null }
  | { readonly kind: "lost"; readonly reason: string; readonly retryAtMs: number }
  /** From the desktop: it shows, it never answers. */
  | { readonly kind: "open"; readonly id: string };

export function react(state: WatchState, input: Input, nowMs: number): Reaction {
  switch (input.kind) {
    case "key":
      return keyed({ ...state, notice: null }, input.key, nowMs);
    case "resized":
      // Other lines than before: what has been seen must be seen again.
      return still(reseen({ ...state, size: input.size }));
    case "synced":
      return synced(state, input.pending);
    case "arrived":
      if (state.pending.has(input.pending.id)) return still(state);
      return {
        state: withPending(state, new Map([...state.pending, [input.pending.id, input.pending]])),
        effects: [{ kind: "announce", pending: input.pending }],
      };
    case "settled":
      return still(settled(state, input.id, input.how, nowMs));
    case "fetched":
      return still(fetched(state, input.id, input.pending, nowMs));
    case "answered":
      return still(answered(state, input, nowMs));
    case "lost":
      return still({ ...state, connection: { kind: "lost", reason: input.reason, retryAtMs: input.retryAtMs } });
    case "open":
      return opened(state, input.id, nowMs);
  }
}

function keyed(state: WatchState, key: Key, nowMs: number): Reaction {
  if (key.kind === "named" && key.name === "interrupt") return { state, effects: [{ kind: "quit" }] };
  switch (state.view.kind) {
    case "prompt":
      return promptKey(state, state.view, key, nowMs);
    case "help":
      return still({ ...state, view: { kind: "list" } });
    case "list":
      return listKey(state, key, nowMs);
  }
}

function listKey(state: WatchState, key: Key, nowMs: number): Reaction {
  const page = Math.max(1, state.size.rows - 6);
  switch (key.kind === "char" ? key.char : key.kind === "named" ? key.name : "paste") {
    case "j":
    case "down":
      return still(moved(state, 1));
    case "k":
    case "up":
      return still(moved(state, -1));
    case " ":
    case "page-down":
      return still(moved(state, page));
    case "page-up":
      return still(moved(state, -page));
    case "g":
    case "home":
      return still(moved(state, -state.groups.length));
    case "G":
    case "end":
      return still(moved(state, state.groups.length));
    case "enter":
      return selectedPrompt(state, null, nowMs);
    // A line in a list may be cut, and what cannot be read in full cannot be answered: these open it first.
    case "o":
    case "a":
    case "t":
      return selectedPrompt(state, "read it to its end, then press the key again", nowMs);
    case "d":
      return selectedPrompt(state, "press d again to deny it", nowMs);
    case "?":
    case "h":
      return still({ ...state, view: { kind: "help" } });
    case "q":
      return { state, effects: [{ kind: "quit" }] };
    default:
      return still(state);
  }
}

function selectedPrompt(state: WatchState, notice: string | null, nowMs: number): Reaction {
  const group = state.groups.find(({ key }) => key === state.selected);
  if (group === undefined) return still(state);
  const opened = openPrompt(state, group.ids, group.first, nowMs);
  return { ...opened, state: { ...opened.state, notice } };
}

function opened(state: WatchState, id: string, nowMs: number): Reaction {
  // Whoever is in the middle of an answer is not pulled away from it.
  if (state.view.kind === "prompt" && state.view.step.kind !== "read") return still(state);
  const group = state.groups.find(({ ids }) => ids.includes(id));
  return group === undefined ? still(state) : openPrompt({ ...state, selected: group.key }, group.ids, group.first, nowMs);
}

function moved(state: WatchState, by: number): WatchState {
  const place = state.groups.findIndex(({ key }) => key === state.selected);
  const next = Math.min(Math.max(0, place + by), state.groups.length - 1);
  return { ...state, selected: state.groups[next]?.key ?? null };
}

function synced(state: WatchState, list: readonly Pending[]): Reaction {
  const pending = new Map(list.map((one) => [one.id, one]));
  const connected = withPending({ ...state, connection: { kind: "connected" }, answering: new Set() }, pending);
  const view =
    state.view.kind === "prompt" && state.view.ids.every((id) => !pending.has(id))
      ? { ...state.view, gone: state.view.gone ?? "it was answered or ran out while the daemon was away" }
      : state.view;
  const fresh = list.filter(({ id }) => !state.pending.has(id));
  return { state: { ...connected, view }, effects: fresh.map((one) => ({ kind: "announce", pending: one })) };
}

function settled(state: WatchState, id: string, how: string, nowMs: number): WatchState {
  const known = state.pending.get(id);
  if (known === undefined) return state;
  const left = withPending(state, new Map([...state.pending].filter(([other]) => other !== id)));
  const recent: Recent = { id, atMs: nowMs, how, command: known.command };
  const { view } = state;
  const gone = view.kind === "prompt" && view.gone === null && view.ids.every((other) => !left.pending.has(other));
  const shown: WatchState = gone && view.kind === "prompt" ? { ...left, view: { ...view, gone: how } } : left;
  return remembered({ ...shown, answering: without(state.answering, id) }, recent);
}

function fetched(state: WatchState, id: string, pending: Pending | null, nowMs: number): WatchState {
  const { view } = state;
  if (view.kind !== "prompt" || view.shown.id !== id || view.loaded) return state;
  if (pending === null) return { ...state, view: { ...view, gone: view.gone ?? "the daemon no longer knows it" } };
  // More is on the screen than before: the prompt appears anew, and so does the time in which keys do not count.
  return reseen({ ...state, view: { ...view, shown: pending, loaded: true, appearedAtMs: nowMs } });
}

function answered(state: WatchState, { id, how, failure }: Extract<Input, { kind: "answered" }>, nowMs: number): WatchState {
  if (failure === null) {
    // The event may have come first, and says less than the answer.
    const left = settled(state, id, how, nowMs);
    return { ...left, recent: left.recent.map((one) => (one.id === id ? { ...one, how } : one)), notice: how };
  }
  return { ...state, answering: without(state.answering, id), notice: failure };
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((other) => other !== id));
}

function still(state: WatchState): Reaction {
  return { state, effects: [] };
}
