/** A question written out in lines: what is not covered first, then what would run, word by word. The lines are the same in colour and without. */

import { visibleText } from "../../wire/visible.ts";
import { momentText } from "../moments.ts";
import { hashRows } from "../render-command.ts";
import { folded, wrapped } from "../width.ts";
import { type DiffLine, diffOf } from "./diff.ts";
import type { BoundFile, Pending } from "./pending.ts";
import type { Size } from "./state.ts";

export type Tone = "plain" | "title" | "alarm" | "warning" | "dim" | "added" | "removed";

export interface Line {
  readonly text: string;
  readonly tone: Tone;
}

const HEADER_ROWS = 2;
const FOOTER_ROWS = 2;
const LABEL_COLUMNS = 10;
const LONG_WORD_LINES = 4;

const ROWS_MIN = 10;
const COLUMNS_MIN = 40;

/** In less than this nobody can read what they are asked about, so nothing is asked. */
export function isTooSmall({ rows, columns }: Size): boolean {
  return rows < ROWS_MIN || columns < COLUMNS_MIN;
}

/** How many lines of a question are on the screen at once. */
export function bodyRows({ rows }: Size): number {
  return Math.max(1, rows - HEADER_ROWS - FOOTER_ROWS);
}

export function promptLines(pending: Pending, columns: number): readonly Line[] {
  return [
    ...bulleted("Not covered", pending.unbound, "alarm", columns),
    ...bulleted("Look closely", pending.warnings, "warning", columns),
    ...words(pending.words, columns),
    ...field("in", pending.cwd, columns),
    ...pending.programs.flatMap((file, at) => fileLines(at === 0 ? "program" : "starts", file, columns)),
    ...pending.files.flatMap((file) => fileLines("file", file, columns)),
    ...pending.env.flatMap((pair) => field("env", pair, columns)),
    ...field("stdin", pending.stdin, columns),
    ...field("agent", pending.agent, columns),
    ...field("session", pending.session === "" ? null : pending.session, columns),
    ...field("asked by", pending.requester, columns),
    ...pending.claims.flatMap((claim) => field("claims", `${claim}  (unproven)`, columns)),
  ];
}

function bulleted(title: string, items: readonly string[], tone: Tone, columns: number): readonly Line[] {
  if (items.length === 0) return [];
  const lines = items.flatMap((item) =>
    wrapped(item, columns - 4).map((text, at) => ({ text: at === 0 ? `  - ${text}` : `    ${text}`, tone })),
  );
  return [{ text: title, tone }, ...lines, BLANK];
}

const BLANK: Line = { text: "", tone: "plain" };

/** Numbered, because warnings name a word by its place; a word over many lines says how long it is, so that its end is looked for. */
function words(all: readonly string[], columns: number): readonly Line[] {
  const width = String(all.length).length;
  const lines = all.flatMap((word, index) => {
    const parts = folded(word, columns - width - 4);
    const size =
      parts.length > LONG_WORD_LINES ? [{ text: `${" ".repeat(width + 3)}(${Buffer.byteLength(word)} bytes)`, tone: "dim" as const }] : [];
    const number = String(index + 1).padStart(width);
    return [...parts.map((text, at) => ({ text: `  ${at === 0 ? number : " ".repeat(width)} ${text}`, tone: "title" as const })), ...size];
  });
  return [{ text: "Would run", tone: "plain" }, ...lines, BLANK];
}

function field(label: string, value: string | null, columns: number): readonly Line[] {
  if (value === null) return [];
  return folded(value, columns - LABEL_COLUMNS).map((text, at) => ({
    text: `${(at === 0 ? label : "").padEnd(LABEL_COLUMNS)}${text}`,
    tone: "plain",
  }));
}

function fileLines(label: string, file: BoundFile, columns: number): readonly Line[] {
  const rows = file.sha256 === "" ? ["not hashed"] : hashRows(file.sha256, columns - LABEL_COLUMNS);
  const hashed = rows.map((row): Line => ({ text: " ".repeat(LABEL_COLUMNS) + row, tone: "dim" }));
  return [...field(label, file.path, columns), ...hashed, ...historyLines(file, columns)];
}

function historyLines(file: BoundFile, columns: number): readonly Line[] {
  const noted = (text: string, tone: Tone): readonly Line[] =>
    wrapped(text, columns - LABEL_COLUMNS).map((line) => ({ text: " ".repeat(LABEL_COLUMNS) + line, tone }));
  if (file.knownSinceMs !== null) return noted(`the same as was allowed ${momentText(file.knownSinceMs)}`, "dim");
  if (file.earlier === null || file.text === null) return [];
  const changes = diffOf(file.earlier.text, file.text);
  const since = momentText(file.earlier.atMs);
  if (changes === null) return noted(`nothing like what was allowed ${since}`, "alarm");
  return [...noted(`changed since it was allowed ${since}:`, "warning"), ...changes.flatMap((line) => diffLines(line, columns))];
}

function diffLines({ sign, text }: DiffLine, columns: number): readonly Line[] {
  const indent = " ".repeat(LABEL_COLUMNS);
  const tone: Tone = sign === "+" ? "added" : sign === "-" ? "removed" : "dim";
  if (sign === "@") return [{ text: `${indent}  … ${text} …`, tone }];
  return folded(sourceText(text), columns - LABEL_COLUMNS - 2).map((part, at) => ({
    text: `${indent}${at === 0 ? sign : " "} ${part}`,
    tone,
  }));
}

const NO_TEXT = "No text was kept of the files this is bound to: they are binary, too long, or there are none.";

/** Every bound file whose text was kept, from its first line to its last. */
export function filesLines(pending: Pending, columns: number): readonly Line[] {
  const kept = [...pending.files, ...pending.programs].filter(({ text }) => text !== null);
  if (kept.length === 0) return wrapped(NO_TEXT, columns).map((text) => ({ text, tone: "dim" }));
  return kept.flatMap((file) => {
    const lines = (file.text ?? "").replace(/\n$/, "").split("\n");
    const width = String(lines.length).length;
    const numbered = lines.flatMap((line, index) =>
      folded(sourceText(line), columns - width - 2).map((part, at): Line => {
        const number = at === 0 ? String(index + 1).padStart(width) : " ".repeat(width);
        return { text: `${number}  ${part}`, tone: "plain" };
      }),
    );
    return [...folded(file.path, columns).map((text): Line => ({ text, tone: "title" })), ...numbered, BLANK];
  });
}

/** Source text is indented with tabs; anything else that leaves no ink is shown as an escape. */
function sourceText(line: string): string {
  return visibleText(line.replaceAll("\t", "    "));
}
