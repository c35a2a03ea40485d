/** Any answer as indented facts: for commands whose answer is a handful of values, and for members that a newer daemon adds. */

import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { visibleText } from "../wire/visible.ts";
import { spanText } from "./moments.ts";
import type { Paint } from "./paint.ts";
import { columnsOf, wrapped } from "./width.ts";

const ROOM_COLUMNS_MIN = 40;

export function factLines(facts: JsonObject, paint: Paint, columns: number, indent = ""): readonly string[] {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => label(name).length));
  return entries.flatMap(([name, value]) => {
    const head = `${indent}${paint.dim(label(name).padEnd(width))}  `;
    if (isJsonObject(value)) return [`${indent}${paint.dim(label(name))}`, ...factLines(value, paint, columns, `${indent}  `)];
    if (isList(value) && value.some((item) => typeof item === "object")) {
      return [`${indent}${paint.dim(label(name))}`, ...value.flatMap((item) => listItem(item, paint, columns, `${indent}  `))];
    }
    const room = columns - indent.length - width - 2;
    if (room < ROOM_COLUMNS_MIN && columnsOf(plain(name, value)) > room) {
      const below = `${indent}  `;
      return [
        `${indent}${paint.dim(label(name))}`,
        ...wrapped(plain(name, value), Math.max(1, columns - below.length)).map((line) => below + line),
      ];
    }
    return wrapped(plain(name, value), room).map((line, index) => (index === 0 ? head : " ".repeat(indent.length + width + 2)) + line);
  });
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function listItem(item: JsonValue, paint: Paint, columns: number, indent: string): readonly string[] {
  if (!isJsonObject(item)) return [`${indent}${plain("", item)}`];
  return factLines(item, paint, columns, `${indent}  `).map((line, index) => (index === 0 ? `${indent}- ${line.trimStart()}` : line));
}

/** `uptimeMs` is read as a time and called by its name without the unit. */
function label(name: string): string {
  return name.replace(/AtMs$|Ms$/, "").replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}

function plain(name: string, value: JsonValue | undefined): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "number" && (name === "at" || name.endsWith("AtMs"))) return new Date(value).toISOString();
  if (typeof value === "number" && name.endsWith("Ms")) return spanText(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isList(value)) return value.length === 0 ? "none" : value.map((item) => plain("", item)).join(", ");
  return visibleText(typeof value === "string" ? value : JSON.stringify(value));
}
