/** The lower half of the screen while an answer is being made: what is typed, what is chosen, and what each choice would do. */

import { spanText } from "../moments.ts";
import { cut, folded, wrapped } from "../width.ts";
import { boundsText } from "./bounds.ts";
import type { Line } from "./layout-prompt.ts";
import type { Offer } from "./pending.ts";
import type { Answer, Prompt, Step, WatchState } from "./state.ts";

const COPIES_SHOWN_MAX = 8;

/** The keys of a step stand in the last row of the screen, where they cannot be pushed out. */
export function stepKeys(prompt: Prompt, step: Step): string {
  switch (step.kind) {
    case "reason":
      return "enter denies   esc back";
    case "bounds":
      return "enter goes on   esc back";
    case "scope":
      return "e this program   c this command   esc back";
    case "confirm":
      return `y answers all ${prompt.ids.length}   1 only the first   enter or esc back`;
    case "read":
    case "files":
      return "";
  }
}

export function stepLines(state: WatchState, prompt: Prompt, step: Step, nowMs: number): readonly Line[] {
  const { columns } = state.size;
  switch (step.kind) {
    case "reason":
      return [...title("Deny. Why? The agent is told.", columns), ...input(step.text, columns)];
    case "bounds":
      return [
        ...title("Allow without asking again, for how long or how often? 30m, 2h, 3x, or both: 1h 5x", columns),
        ...input(step.text, columns),
        ...(step.problem === null ? [] : wrapped(step.problem, columns).map((text): Line => ({ text, tone: "warning" }))),
      ];
    case "scope":
      return [
        ...title(`Allow ${boundsText(step.bounds)} without asking again. What?`, columns),
        ...offer("e", "this program, with any arguments", prompt.shown.stores.executable, columns),
        ...offer("c", "exactly this command, in this directory", prompt.shown.stores.command, columns),
      ];
    case "confirm":
      return [
        ...title(`${answerText(step.answer)}: ${prompt.ids.length} identical requests`, columns),
        ...prompt.ids.slice(0, COPIES_SHOWN_MAX).map((id) => copyLine(id, state, nowMs)),
        ...(prompt.ids.length > COPIES_SHOWN_MAX ? [dim(`  … and ${prompt.ids.length - COPIES_SHOWN_MAX} more of the same`)] : []),
      ];
    case "read":
    case "files":
      return [];
  }
}

function copyLine(id: string, state: WatchState, nowMs: number): Line {
  const one = state.pending.get(id);
  if (one === undefined) return dim(`  ${id.slice(0, 8)}  no longer open`);
  const text = `  ${id.slice(0, 8)}  ${spanText(Math.max(0, nowMs - one.createdAtMs))} ago, by ${one.requester}`;
  return { text: cut(text, state.size.columns), tone: "plain" };
}

function offer(key: string, what: string, { patterns, none }: Offer, columns: number): readonly Line[] {
  const stored =
    patterns.length > 0
      ? patterns.map((pattern) => `stores ${pattern}`)
      : [`stores nothing, so this time only: ${none ?? "nothing can be derived"}`];
  return [
    ...wrapped(what, columns - 5).map((text, at): Line => ({ text: `  ${at === 0 ? key : " "}  ${text}`, tone: "plain" })),
    ...stored.flatMap((text) => wrapped(text, columns - 7).map((part) => dim(`       ${part}`))),
  ];
}

/** The end of what is typed is what matters, so it scrolls to the left. */
function input(text: string, columns: number): readonly Line[] {
  const room = columns - 4;
  const shown = folded(text, room).at(-1) ?? "";
  return [{ text: `  > ${shown}▏`, tone: "plain" }];
}

export function answerText(answer: Answer): string {
  switch (answer.decision) {
    case "allow-once":
      return "Allow once";
    case "deny":
      return "Deny";
    case "allow-always":
      return `Allow ${boundsText(answer.bounds)}, ${answer.scope === "executable" ? "this program" : "this command"}`;
  }
}

function title(text: string, columns: number): readonly Line[] {
  return wrapped(text, columns).map((line) => ({ text: line, tone: "title" }));
}

function dim(text: string): Line {
  return { text, tone: "dim" };
}
