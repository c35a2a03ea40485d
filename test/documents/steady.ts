/** Frames of a live daemon as they look in a document: everything that differs from one day or machine to the next is told alike. */
import { realpathSync } from "node:fs";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";

export interface Steady {
  (frame: JsonObject): JsonObject;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const DIGEST = /\b[0-9a-f]{64}\b/g;
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** By the member's name: what is measured or counted by the machine. */
const NUMBERS: Readonly<Record<string, number>> = {
  pid: 4242, uid: 1000, durationMs: 12, uptimeMs: 61_000, residentBytes: 67_000_000, at: 1_794_996_000_000, ts: 1_794_996_000_000,
}; // biome-ignore format: a table

const SECRETS = new Set(["token", "nonce", "proof", "hmac", "publicKey", "next"]);

/** What it is depends on the machine: the level it reaches, and what each part of it rests on. */
const WHOLE: Readonly<Record<string, JsonValue>> = {
  exe: "/usr/bin/node",
  notCovered: ["…"],
  guards: { instance: "flock", peers: "SO_PEERCRED" },
  parts: [{ part: "script", level: "sealed", rests: "…" }],
  level: "sealed",
};

/** Shown once; after that they only tire the reader. */
const LONG = new Set(["plan", "requester", "grants", "document"]);

export function steadyFor(places: Readonly<Record<string, string>>): Steady {
  const paths = Object.entries({ ...places, [realpathSync("/bin/sh")]: "/usr/bin/dash" }).sort(([a], [b]) => b.length - a.length);
  const seen = { ids: new Map<string, string>(), digests: new Map<string, string>(), long: new Set<string>() };

  const text = (value: string): string => {
    const moved = paths.reduce((said, [from, to]) => said.replaceAll(from, to), value);
    return moved
      .replaceAll(JWT, "eyJ…")
      .replaceAll(DIGEST, (digest) => named(seen.digests, digest, (count) => `${String(count).padStart(4, "0")}…`))
      .replaceAll(UUID, (id) => named(seen.ids, id, (count) => `${String(count).padStart(8, "0")}-0000-4000-8000-000000000000`))
      .replaceAll(/\b[0-9a-f]{8}\b/g, (prefix) => [...seen.ids].find(([id]) => id.startsWith(prefix))?.[1].slice(0, 8) ?? prefix)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-18T10:00:00.000Z")
      .replaceAll(/\(uid \d+\)/g, "(uid 1000)");
  };

  const walk = (value: JsonValue | undefined, key: string, inside: string): JsonValue => {
    if (inside === "enforcement" && Object.hasOwn(WHOLE, key)) return WHOLE[key] ?? null;
    if (key !== "level" && key !== "parts" && Object.hasOwn(WHOLE, key)) return WHOLE[key] ?? null;
    if ((key === "records" || (key === "seq" && inside !== "params")) && typeof value === "number") return 42;
    if (LONG.has(key) && isJsonObject(value)) {
      const shown = JSON.stringify(value);
      if (seen.long.has(shown)) return "… as above";
      seen.long.add(shown);
    }
    if (typeof value === "number") return /AtMs$|^expiresAt$|^lastUsedAt$/.test(key) ? 1_794_996_000_000 : (NUMBERS[key] ?? value);
    if (typeof value === "string") {
      if (key === "enforcement") return "sealed";
      return SECRETS.has(key) ? "…" : text(value);
    }
    if (isList(value)) return value.map((item) => walk(item, key, inside));
    if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [text(name), walk(each, name, key)]));
    return value ?? null;
  };
  return (frame) => Object.fromEntries(Object.entries(frame).map(([name, each]) => [name, walk(each, name, "")]));
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function named(seen: Map<string, string>, found: string, name: (count: number) => string): string {
  const known = seen.get(found) ?? name(seen.size + 1);
  seen.set(found, known);
  return known;
}

const COLUMNS = 110;

/** JSON for people: on one line where that fits, else member by member. */
export function laidOut(value: JsonValue | undefined, indent = ""): string {
  const flat = spaced(value);
  if (indent.length + flat.length <= COLUMNS || typeof value !== "object" || value === null) return flat;
  const deeper = `${indent}  `;
  if (isList(value)) return `[\n${value.map((item) => `${deeper}${laidOut(item, deeper)}`).join(",\n")}\n${indent}]`;
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{\n${members.map(([name, each]) => `${deeper}${JSON.stringify(name)}: ${laidOut(each, deeper)}`).join(",\n")}\n${indent}}`;
}

function spaced(value: JsonValue | undefined): string {
  if (isList(value)) return `[${value.map(spaced).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return members.length === 0 ? "{}" : `{ ${members.map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`).join(", ")} }`;
}
