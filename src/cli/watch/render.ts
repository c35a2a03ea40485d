/** The whole screen as lines: exactly as many as there are rows, none wider than the screen. Only what is visible is written out. */

import { spanText } from "../moments.ts";
import type { Paint } from "../paint.ts";
import { columnsOf, cut, padded, wrapped } from "../width.ts";
import { bodyRows, filesLines, isTooSmall, type Line, promptLines } from "./layout-prompt.ts";
import { stepKeys, stepLines } from "./render-step.ts";
import type { Group, Prompt, WatchState } from "./state.ts";

export function render(state: WatchState, nowMs: number, paint: Paint): readonly string[] {
  switch (state.view.kind) {
    case "list":
      return framed(state, listHeader(state, nowMs), list(state, nowMs, paint), LIST_KEYS, paint);
    case "help":
      return framed(
        state,
        "countersign watch · keys",
        HELP.flatMap((line) => wrapped(line, state.size.columns)),
        "any key goes back",
        paint,
      );
    case "prompt":
      return promptFrame(state, state.view, nowMs, paint);
  }
}

const LIST_KEYS = "j/k move   enter read   d deny   ? keys   q quit";
const HELP = [
  "j k, arrows    move, scroll          space, page    a page at a time",
  "enter          read the request      esc            go back",
  "",
  "While reading a request:",
  "o              allow it once",
  "a              allow it for good; asks for the scope",
  "t              allow it for a time or a number of uses: 30m, 2h, 3x",
  "d              deny it, with a reason that reaches the agent",
  "f              look at the files it is bound to",
  "",
  "Return never allows anything. A request must have been on the screen to its",
  "end, and for half a second, before a key counts. ×3 in the list means three",
  "identical requests; they are listed before they are answered together.",
];

/** `keys` may be the sentence of the moment instead. */
function framed(state: WatchState, header: string, body: readonly string[], keys: string, paint: Paint): readonly string[] {
  const { rows, columns } = state.size;
  const room = bodyRows(state.size);
  const filled = [...body.slice(0, room), ...Array.from({ length: Math.max(0, room - body.length) }, () => "")];
  const lost = state.connection.kind === "lost" ? `daemon away: ${state.connection.reason}` : "";
  const notice = state.notice ?? lost;
  const footer = [notice === "" ? "" : paint.yellow(cut(notice, columns)), paint.dim(cut(keys, columns))];
  return [paint.bold(cut(header, columns)), paint.dim("─".repeat(columns)), ...filled, ...footer].slice(0, rows);
}

function listHeader(state: WatchState, nowMs: number): string {
  const { connection, pending, groups, size } = state;
  const different = groups.length === pending.size ? "" : `, ${groups.length} different`;
  const left = `countersign watch · ${pending.size === 0 ? "nothing waits" : `${pending.size} ${pending.size === 1 ? "waits" : "wait"}${different}`}`;
  const right = connection.kind === "connected" ? "connected" : `reconnecting in ${spanText(Math.max(0, connection.retryAtMs - nowMs))}`;
  return padded(left, size.columns - columnsOf(right)) + right;
}

const NOTHING = "Nothing is waiting. A request appears here the moment it is made.";
const COLUMNS_BEFORE_COMMAND = 33;

function list(state: WatchState, nowMs: number, paint: Paint): readonly string[] {
  const { groups, size } = state;
  const head = cut(`  ${"AGE".padEnd(9)}${"LEFT".padEnd(9)}${"AGENT".padEnd(12)} COMMAND`, size.columns);
  if (groups.length === 0) return [...wrapped(NOTHING, size.columns).map(paint.dim), "", ...recent(state, nowMs, paint)];
  const room = bodyRows(size) - 1;
  const place = Math.max(
    0,
    groups.findIndex(({ key }) => key === state.selected),
  );
  const top = Math.min(Math.max(0, place - Math.floor(room / 2)), Math.max(0, groups.length - room));
  const rows = groups.slice(top, top + room).map((group) => row(group, state, nowMs, paint));
  const spare = room - rows.length;
  return [paint.dim(head), ...rows, ...(spare > 2 ? ["", ...recent(state, nowMs, paint).slice(0, spare - 1)] : [])];
}

function row(group: Group, state: WatchState, nowMs: number, paint: Paint): string {
  const { first, ids } = group;
  const selected = group.key === state.selected;
  const flags = [
    ...(ids.length > 1 ? [`×${ids.length}`] : []),
    ...(first.unbound.length + first.warnings.length > 0 ? ["!"] : []),
    ...(ids.every((id) => state.answering.has(id)) ? ["…"] : []),
  ].join(" ");
  const left = first.expiresAtMs <= nowMs ? "over" : short(first.expiresAtMs - nowMs);
  const facts = `${padded(short(nowMs - first.createdAtMs), 9)}${padded(left, 9)}${padded(cut(first.agent, 11), 12)} `;
  const room = Math.max(8, state.size.columns - COLUMNS_BEFORE_COMMAND - (flags === "" ? 0 : columnsOf(flags) + 1));
  const text = `${selected ? ">" : " "} ${facts}${padded(cut(first.command, room), room)}${flags === "" ? "" : ` ${flags}`}`;
  const fitted = cut(text, state.size.columns);
  return selected ? paint.bold(fitted) : first.expiresAtMs - nowMs < 10_000 ? paint.yellow(fitted) : fitted;
}

function short(ms: number): string {
  return ms < 1000 ? "now" : spanText(ms).replace(/(\d) (\D)/g, "$1$2");
}

function recent(state: WatchState, nowMs: number, paint: Paint): readonly string[] {
  if (state.recent.length === 0) return [];
  const lines = state.recent.map(({ atMs, how, command }) => `  ${padded(short(nowMs - atMs), 9)}${padded(cut(how, 24), 25)}${command}`);
  return [paint.dim("Before:"), ...lines.map((line) => paint.dim(cut(line, state.size.columns)))];
}

function promptFrame(state: WatchState, prompt: Prompt, nowMs: number, paint: Paint): readonly string[] {
  const { shown, step, gone } = prompt;
  const { size } = state;
  const copies = prompt.ids.length > 1 ? ` · ×${prompt.ids.length} identical` : "";
  const left = shown.expiresAtMs <= nowMs ? "out of time" : `${spanText(shown.expiresAtMs - nowMs)} left`;
  const header = `${shown.id.slice(0, 8)} · asked ${spanText(Math.max(0, nowMs - shown.createdAtMs))} ago · ${left}${copies}`;
  if (gone !== null)
    return framed(
      { ...state, notice: `No longer open: ${gone}` },
      header,
      visible(promptLines(shown, size.columns), prompt.top, size.rows, paint),
      "esc back",
      paint,
    );
  if (step.kind === "files") {
    return framed(
      state,
      header,
      visible(filesLines(shown, size.columns), step.top, size.rows, paint),
      "j/k space scroll   f or esc back",
      paint,
    );
  }
  if (isTooSmall(size))
    return framed(
      state,
      header,
      wrapped("Make the window larger, 40 columns by 10 rows at least, to read this.", size.columns),
      "esc back",
      paint,
    );
  const lines = promptLines(shown, size.columns);
  if (step.kind !== "read") {
    const below = stepLines(state, prompt, step, nowMs).map((line) => painted(line, paint));
    return framed(
      state,
      header,
      [...beginning(lines, bodyRows(size) - below.length - 1, paint), "", ...below],
      stepKeys(prompt, step),
      paint,
    );
  }
  const hidden = lines.length - prompt.top - bodyRows(size);
  const more = hidden > 0 ? `space: ${hidden} more   ` : "";
  const always = shown.mayAlways ? "a always   t time or uses   " : "";
  return framed(state, header, visible(lines, prompt.top, size.rows, paint), `${more}o once   ${always}d deny   f files   esc back`, paint);
}

/** The beginning of what is asked about stays in sight while the answer is chosen. */
function beginning(lines: readonly Line[], rows: number, paint: Paint): readonly string[] {
  if (lines.length <= rows) return lines.map((line) => painted(line, paint));
  return [
    ...lines.slice(0, Math.max(0, rows - 1)).map((line) => painted(line, paint)),
    paint.dim(`… ${lines.length - rows + 1} more lines`),
  ];
}

function visible(lines: readonly Line[], top: number, rows: number, paint: Paint): readonly string[] {
  return lines.slice(top, top + rows).map((line) => painted(line, paint));
}

function painted({ text, tone }: Line, paint: Paint): string {
  switch (tone) {
    case "plain":
      return text;
    case "title":
      return paint.bold(text);
    case "alarm":
    case "removed":
      return paint.red(text);
    case "warning":
      return paint.yellow(text);
    case "added":
      return paint.green(text);
    case "dim":
      return paint.dim(text);
  }
}
