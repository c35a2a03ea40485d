/** What the keys do while a question is being read. Return never allows anything, and nothing counts too soon after the question appeared. */

import { PROMPT_GUARD_MS, REASON_BYTES_MAX } from "../../core/limits.ts";
import { visibleText } from "../../wire/visible.ts";
import { parseBounds } from "./bounds.ts";
import type { Key } from "./keys.ts";
import { bodyRows, filesLines, isTooSmall, promptLines } from "./layout-prompt.ts";
import type { Pending } from "./pending.ts";
import type { Answer, Bounds, Prompt, Reaction, Step, WatchState } from "./state.ts";

export function openPrompt(state: WatchState, ids: readonly string[], shown: Pending, nowMs: number): Reaction {
  const view: Prompt = {
    kind: "prompt",
    ids,
    shown,
    loaded: false,
    top: 0,
    seen: 0,
    step: { kind: "read" },
    appearedAtMs: nowMs,
    gone: null,
  };
  return { state: reseen({ ...state, view }), effects: [{ kind: "fetch", id: shown.id }] };
}

/** After other lines took the place of those on the screen: from the top, and only what is on the screen now has been seen. */
export function reseen(state: WatchState): WatchState {
  const { view, size } = state;
  return view.kind === "prompt" ? { ...state, view: { ...view, top: 0, seen: bodyRows(size) } } : state;
}

export function promptKey(state: WatchState, prompt: Prompt, key: Key, nowMs: number): Reaction {
  const word = key.kind === "char" ? key.char : key.kind === "named" ? key.name : "paste";
  if (word === "escape") return back(state, prompt, nowMs);
  if (isTooSmall(state.size)) return still(state);
  if (prompt.gone !== null) return word === "q" || word === "enter" ? toList(state) : still(state);
  switch (prompt.step.kind) {
    case "read":
      return readKey(state, prompt, word, nowMs);
    case "files":
      return filesKey(state, prompt, prompt.step.top, word, nowMs);
    case "reason":
      return reasonKey(state, prompt, prompt.step.text, key, nowMs);
    case "bounds":
      return boundsKey(state, prompt, prompt.step.text, key, nowMs);
    case "scope":
      return scopeKey(state, prompt, prompt.step.bounds, word, nowMs);
    case "confirm":
      return confirmKey(state, prompt, prompt.step.answer, word, nowMs);
  }
}

function readKey(state: WatchState, prompt: Prompt, word: string, nowMs: number): Reaction {
  const rows = bodyRows(state.size);
  switch (word) {
    case "j":
    case "down":
      return still(scrolled(state, prompt, 1));
    case "k":
    case "up":
      return still(scrolled(state, prompt, -1));
    case " ":
    case "page-down":
      return still(scrolled(state, prompt, rows - 1));
    case "page-up":
      return still(scrolled(state, prompt, 1 - rows));
    case "g":
    case "home":
      return still(scrolled(state, prompt, -prompt.top));
    case "q":
      return toList(state);
    case "f":
      return step(state, prompt, { kind: "files", top: 0 }, nowMs);
    case "d":
      return tooSoon(prompt, nowMs) ? ignored(state) : step(state, prompt, { kind: "reason", text: "" }, nowMs);
    case "o":
      return allowing(state, prompt, nowMs, () => decided(state, prompt, { decision: "allow-once" }, nowMs));
    case "a":
      return allowingAlways(state, prompt, nowMs, { kind: "scope", bounds: {} });
    case "t":
      return allowingAlways(state, prompt, nowMs, { kind: "bounds", text: "", problem: null });
    default:
      return still(state);
  }
}

/** Whole and long enough on the screen; otherwise it says why not. */
function allowing(state: WatchState, prompt: Prompt, nowMs: number, then: () => Reaction): Reaction {
  if (tooSoon(prompt, nowMs)) return ignored(state);
  if (!prompt.loaded) return still({ ...state, notice: "not everything is here yet; a moment" });
  const below = promptLines(prompt.shown, state.size.columns).length - prompt.seen;
  if (below > 0) return still({ ...state, notice: `${below} more ${below === 1 ? "line" : "lines"} to read first; press space` });
  return then();
}

function allowingAlways(state: WatchState, prompt: Prompt, nowMs: number, next: Step): Reaction {
  return allowing(state, prompt, nowMs, () =>
    prompt.shown.mayAlways
      ? step(state, prompt, next, nowMs)
      : still({ ...state, notice: "not everything it runs is covered, so it can be allowed once, not for good" }),
  );
}

function filesKey(state: WatchState, prompt: Prompt, top: number, word: string, nowMs: number): Reaction {
  if (word === "f" || word === "q") return step(state, prompt, { kind: "read" }, nowMs);
  const page = bodyRows(state.size) - 1;
  const by =
    new Map([
      ["j", 1],
      ["down", 1],
      ["k", -1],
      ["up", -1],
      [" ", page],
      ["page-down", page],
      ["page-up", -page],
    ]).get(word) ?? 0;
  const last = Math.max(0, filesLines(prompt.shown, state.size.columns).length - page - 1);
  return step(state, prompt, { kind: "files", top: Math.min(Math.max(0, top + by), last) }, prompt.appearedAtMs);
}

function reasonKey(state: WatchState, prompt: Prompt, text: string, key: Key, nowMs: number): Reaction {
  if (key.kind === "named" && key.name === "enter") {
    return tooSoon(prompt, nowMs) ? ignored(state) : decided(state, prompt, { decision: "deny", reason: text.trim() }, nowMs);
  }
  return step(state, prompt, { kind: "reason", text: typed(text, key) }, prompt.appearedAtMs);
}

function boundsKey(state: WatchState, prompt: Prompt, text: string, key: Key, nowMs: number): Reaction {
  if (key.kind !== "named" || key.name !== "enter") {
    return step(state, prompt, { kind: "bounds", text: typed(text, key), problem: null }, prompt.appearedAtMs);
  }
  const bounds = parseBounds(text);
  if (typeof bounds === "string") return step(state, prompt, { kind: "bounds", text, problem: bounds }, prompt.appearedAtMs);
  return step(state, prompt, { kind: "scope", bounds }, nowMs);
}

function scopeKey(state: WatchState, prompt: Prompt, bounds: Bounds, word: string, nowMs: number): Reaction {
  if (word !== "e" && word !== "c") return still(state);
  if (tooSoon(prompt, nowMs)) return ignored(state);
  return decided(state, prompt, { decision: "allow-always", scope: word === "e" ? "executable" : "command", bounds }, nowMs);
}

function confirmKey(state: WatchState, prompt: Prompt, answer: Answer, word: string, nowMs: number): Reaction {
  if (word !== "y" && word !== "1") return word === "enter" ? back(state, prompt, nowMs) : still(state);
  if (tooSoon(prompt, nowMs)) return ignored(state);
  return send(state, word === "y" ? prompt.ids : prompt.ids.slice(0, 1), answer);
}

/** Several identical requests are answered together only after they were listed. */
function decided(state: WatchState, prompt: Prompt, answer: Answer, nowMs: number): Reaction {
  const ids = prompt.ids.filter((id) => state.pending.has(id));
  if (ids.length > 1) return step(state, { ...prompt, ids }, { kind: "confirm", answer }, nowMs);
  return send(state, ids, answer);
}

function send(state: WatchState, ids: readonly string[], answer: Answer): Reaction {
  const live = ids.filter((id) => state.pending.has(id) && !state.answering.has(id));
  const answering = new Set([...state.answering, ...live]);
  return {
    state: { ...state, answering, view: { kind: "list" } },
    effects: live.length === 0 ? [] : [{ kind: "resolve", ids: live, answer }],
  };
}

function typed(text: string, key: Key): string {
  if (key.kind === "named") return key.name === "backspace" ? Array.from(text).slice(0, -1).join("") : text;
  const more = key.kind === "char" ? key.char : visibleText(key.text.replace(/[\r\n\t]+/g, " "));
  return Buffer.byteLength(text + more) > REASON_BYTES_MAX ? text : text + more;
}

function scrolled(state: WatchState, prompt: Prompt, by: number): WatchState {
  const rows = bodyRows(state.size);
  const lines = promptLines(prompt.shown, state.size.columns).length;
  const top = Math.min(Math.max(0, prompt.top + by), Math.max(0, lines - rows));
  return { ...state, view: { ...prompt, top, seen: Math.max(prompt.seen, top + rows) } };
}

function step(state: WatchState, prompt: Prompt, next: Step, appearedAtMs: number): Reaction {
  return still({ ...state, view: { ...prompt, step: next, appearedAtMs } });
}

function back(state: WatchState, prompt: Prompt, nowMs: number): Reaction {
  return prompt.step.kind === "read" || prompt.gone !== null ? toList(state) : step(state, prompt, { kind: "read" }, nowMs);
}

function toList(state: WatchState): Reaction {
  return still({ ...state, view: { kind: "list" } });
}

function tooSoon(prompt: Prompt, nowMs: number): boolean {
  return nowMs - prompt.appearedAtMs < PROMPT_GUARD_MS;
}

function ignored(state: WatchState): Reaction {
  return still({ ...state, notice: "that key came too soon and was ignored; look again, then press it" });
}

function still(state: WatchState): Reaction {
  return { state, effects: [] };
}
