/** Records of the log, a line each: number, time, what happened, to what. On a screen the date stands above the first of each day. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../../core/limits.ts";
import { visibleText } from "../../wire/visible.ts";
import { momentText, spanText } from "../moments.ts";
import type { Paint } from "../paint.ts";
import { padded, wrapped } from "../width.ts";

const TYPE_COLUMNS = 18;
const STORY_AT = 38;

export interface RecordWriter {
  /** The lines for the next record. */
  lines(record: JsonObject): readonly string[];
}

/** `columns` is the screen's width, for folding; `null` leaves each record on its one line with its date, for grep and files. */
export function recordWriter(paint: Paint, columns: number | null): RecordWriter {
  let day = "";
  return {
    lines: (record) => {
      const moment = typeof record["at"] === "number" ? momentText(record["at"]) : "";
      if (columns === null) return recordLines(record, moment, paint, columns);
      const [date = "", time = ""] = moment.split(" ");
      const heading = date === day ? [] : [paint.dim(date)];
      day = date;
      return [...heading, ...recordLines(record, time, paint, columns)];
    },
  };
}

function recordLines(record: JsonObject, time: string, paint: Paint, columns: number | null): readonly string[] {
  const { seq, type } = record;
  const number = `#${typeof seq === "number" ? seq : "?"}`.padStart(6);
  const head = `${paint.dim(`${number}  ${time}`)}  ${padded(inkOf(text(type), paint)(text(type)), TYPE_COLUMNS)}`;
  const story = visibleText(storyOf(record));
  if (columns === null) return [`${head}  ${story}`.trimEnd()];
  if (columns - STORY_AT < STORY_COLUMNS_MIN) {
    return [head.trimEnd(), ...wrapped(story, columns - STORY_BELOW_AT).map((line) => " ".repeat(STORY_BELOW_AT) + line)];
  }
  const [first = "", ...rest] = wrapped(story, columns - STORY_AT);
  return [`${head}  ${first}`.trimEnd(), ...rest.map((line) => " ".repeat(STORY_AT) + line)];
}

const STORY_COLUMNS_MIN = 30;
/** On a narrow screen: on a line of its own, under the time. */
const STORY_BELOW_AT = 8;

function inkOf(type: string, paint: Paint): (text: string) => string {
  if (type === "run.denied" || type === "run.lost" || type === "security.event" || type === "recovered") return paint.red;
  if (type.startsWith("run.")) return paint.green;
  return type.startsWith("approval.") ? paint.yellow : paint.cyan;
}

function storyOf(record: JsonObject): string {
  const { agentId, command, code, reason } = record;
  switch (record["type"]) {
    case "approval.requested":
      return `${short(record["id"])}  ${text(agentId)}: ${text(command)}`;
    case "approval.decided":
      return `${short(record["id"])}  ${text(record["decision"])} by ${text(record["by"])}${because(reason)}`;
    case "approval.expired":
      return `${short(record["id"])}  ${text(code)}`;
    case "approval.cancelled":
      return `${short(record["id"])}  by ${text(record["by"])}`;
    case "run.starting":
      return `run ${short(record["runId"])} by ${allowedBy(record)}  ${text(agentId)}: ${text(command)}`;
    case "run.finished":
      return `run ${short(record["runId"])}  ${endOf(record)}`;
    case "run.lost":
      return `run ${short(record["runId"])} of approval ${short(record["approvalId"])}  ${text(reason)}`;
    case "run.denied":
      return `${text(code)}  ${text(agentId)}: ${text(command)}`;
    default:
      return detailsOf(record);
  }
}

function endOf(record: JsonObject): string {
  const { exitCode, signal, timedOut, cancelled, durationMs, code, escaped } = record;
  const end = typeof exitCode === "number" ? `exit ${exitCode}` : typeof signal === "string" ? signal : "not started";
  const how = timedOut === true ? ", timed out" : cancelled === true ? ", cancelled" : "";
  const why = typeof code === "string" ? ` (${code})` : "";
  const left = Array.isArray(escaped) ? `, could not end ${escaped.map(processText).join(", ")}` : "";
  return `${end}${how}${why} after ${spanText(typeof durationMs === "number" ? durationMs : 0)}${left}`;
}

function processText(value: JsonValue): string {
  return isJsonObject(value) ? `${text(value["name"])} (${factText(value["pid"])})` : text(value);
}

function detailsOf(record: JsonObject): string {
  const { seq: _seq, at: _at, prev: _prev, type: _type, state: _state, details, ...rest } = record;
  const facts = Object.entries(isJsonObject(details) ? details : rest);
  return facts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${factText(value)}`])).join(", ");
}

/** Ids and hashes by their beginning: whole they are in `audit show` and in JSON. */
function factText(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return value.map(factText).join(" ");
  if (typeof value !== "string") return JSON.stringify(value);
  return /^[0-9a-f]{64}$|^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) ? short(value) : value;
}

function allowedBy(record: JsonObject): string {
  return [text(record["decidedBy"]), short(record["approvalId"])].filter((part) => part !== "").join(" ");
}

function because(reason: JsonValue | undefined): string {
  return typeof reason === "string" ? `: ${reason}` : "";
}

function short(value: JsonValue | undefined): string {
  return text(value).slice(0, APPROVAL_PREFIX_CHARS_MIN);
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
