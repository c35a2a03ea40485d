/**
 * OpenClaw's `exec-approvals.json` and ours, one into the other. Their file has grown over the years, so what is not understood is left out
 * and named; nothing that would widen what holds here, or there, is carried over without being said.
 */
import { isAgentId } from "../core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { parseSha256 } from "../core/sha256.ts";
import { grantKey } from "./allow-entry.ts";
import { ASK_FALLBACKS, ASKS, type ExecDocument, SECURITIES } from "./document.ts";
import { isList, memberPath } from "./document-fields.ts";

export interface Import {
  /** Our document with theirs laid over it, the wider values as asked for; not yet read by readDocument. */
  readonly document: JsonObject;
  /** Values that allow more than what holds here now. */
  readonly wider: readonly Wider[];
  readonly entriesAdded: number;
  /** What was left out, and why. */
  readonly leftOut: readonly string[];
}

export interface Wider {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** Strictest first: a later value allows more. */
const ORDERS = { security: SECURITIES, ask: ASKS.toReversed(), askFallback: ASK_FALLBACKS, autoAllowSkills: ["false", "true"] } as const;
type Field = keyof typeof ORDERS;
const BUILT_IN: Readonly<Record<Field, string>> = { security: "allowlist", ask: "on-miss", askFallback: "deny", autoAllowSkills: "false" };
const FIELDS: readonly Field[] = ["security", "ask", "askFallback", "autoAllowSkills"];

export function importOpenclaw(theirs: JsonObject, ours: ExecDocument, takeWider: boolean): Import {
  const wider: Wider[] = [];
  const leftOut: string[] = [];
  const { raw } = ours;
  const defaults = fieldsOf(objectAt(theirs, "defaults"), objectAt(raw, "defaults"), "defaults", { wider, leftOut, takeWider });
  let entriesAdded = 0;
  const agents: Record<string, JsonValue | undefined> = { ...objectAt(raw, "agents") };
  for (const [name, section] of Object.entries(objectAt(theirs, "agents"))) {
    // An early version called its main agent `default`.
    const agent = name === "default" ? "main" : name;
    if (!isJsonObject(section) || (agent !== "*" && !isAgentId(agent))) {
      leftOut.push(`${memberPath("agents", name)} is not an agent`);
      continue;
    }
    const path = memberPath("agents", agent);
    const present = objectAt(agents, agent);
    const inherited = { ...objectAt(raw, "defaults"), ...(agent === "*" ? {} : objectAt(objectAt(raw, "agents"), "*")), ...present };
    const fields = fieldsOf(section, inherited, path, { wider, leftOut, takeWider });
    const added = newEntries(section["allowlist"], present["allowlist"], path, leftOut);
    entriesAdded += added.length;
    if (Object.keys(fields).length === 0 && added.length === 0) continue;
    const allowlist = [...listOf(present["allowlist"]), ...added];
    agents[agent] = { ...present, ...fields, ...(allowlist.length === 0 ? {} : { allowlist }) };
  }
  const document = { ...raw, defaults: { ...objectAt(raw, "defaults"), ...defaults }, agents };
  return { document, wider, entriesAdded, leftOut };
}

interface Reading {
  readonly wider: Wider[];
  readonly leftOut: string[];
  readonly takeWider: boolean;
}

function fieldsOf(theirs: JsonObject, holding: JsonObject, path: string, reading: Reading): JsonObject {
  const taken: Record<string, JsonValue> = {};
  for (const field of FIELDS) {
    const value = theirs[field];
    if (value === undefined || value === null) continue;
    const order: readonly string[] = ORDERS[field];
    const [to, from] = [plain(value), plain(holding[field] ?? BUILT_IN[field])];
    if (!order.includes(to)) {
      reading.leftOut.push(`${path}.${field} is none of ${order.join(", ")}`);
      continue;
    }
    const isWider = order.indexOf(to) > order.indexOf(from);
    if (isWider) reading.wider.push({ path: `${path}.${field}`, from, to });
    if (!isWider || reading.takeWider) taken[field] = value;
  }
  return taken;
}

function plain(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const CARRIED = ["id", "pattern", "source", "lastUsedAt", "lastUsedCommand", "lastResolvedPath"] as const;
/** What narrows an entry: it comes along, or the entry does not. The first is OpenClaw's too, the others are in files of our own. */
const BOUNDS = ["argPattern", "sha256", "expiresAt", "usesLeft"] as const;

function newEntries(theirs: JsonValue | undefined, ours: JsonValue | undefined, path: string, leftOut: string[]): readonly JsonObject[] {
  const granted = new Set(listOf(ours).map((entry) => grantKey(isJsonObject(entry) ? entry : { pattern: entry })));
  return listOf(theirs).flatMap((given, index) => {
    const entry = isJsonObject(given) ? given : { pattern: given };
    const { pattern } = entry;
    if (typeof pattern !== "string" || pattern === "" || pattern.trim() !== pattern || pattern.includes("\0")) {
      leftOut.push(`${path}.allowlist[${index}] has no pattern`);
      return [];
    }
    const unread = BOUNDS.find((key) => isGiven(entry[key]) && !isBound(key, entry[key]));
    if (unread !== undefined) {
      leftOut.push(`${path}.allowlist[${index}] has a \`${unread}\` that is not understood, and would allow more without it`);
      return [];
    }
    const carried = [...CARRIED.filter((key) => isCarried(key, entry[key])), ...BOUNDS.filter((key) => isGiven(entry[key]))];
    const kept = Object.fromEntries(carried.map((key) => [key, entry[key]]));
    if (granted.has(grantKey(kept))) return [];
    granted.add(grantKey(kept));
    return [kept];
  });
}

function isCarried(key: (typeof CARRIED)[number], value: JsonValue | undefined): boolean {
  if (key === "lastUsedAt") return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  return typeof value === "string" && value !== "" && !value.includes("\0");
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function isBound(key: (typeof BOUNDS)[number], value: JsonValue | undefined): boolean {
  switch (key) {
    case "argPattern":
      return typeof value === "string" && value !== "" && !value.includes("\0");
    case "sha256":
      return typeof value === "string" && parseSha256(value).ok;
    case "expiresAt":
    case "usesLeft":
      return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  }
}

export interface Export {
  readonly document: JsonObject;
  readonly leftOut: readonly string[];
}

/** `socket` is where OpenClaw's clients will look for the daemon, and their key to it; `null` leaves it out. */
export function exportOpenclaw(ours: JsonObject, socket: { readonly path: string; readonly token: string } | null): Export {
  const leftOut: string[] = [];
  const agents = Object.entries(objectAt(ours, "agents")).flatMap(([name, section]): [string, JsonObject][] => {
    if (!isJsonObject(section)) return [];
    const path = memberPath("agents", name);
    const allowlist = listOf(section["allowlist"]).flatMap((given, index) => {
      const entry = isJsonObject(given) ? given : { pattern: given };
      // They know no such bound, so there the entry would hold for any content, for ever.
      const bound = BOUNDS.find((key) => key !== "argPattern" && isGiven(entry[key]));
      if (bound !== undefined) leftOut.push(`${path}.allowlist[${index}] has \`${bound}\`, which OpenClaw does not know`);
      return bound === undefined
        ? [Object.fromEntries([...CARRIED, "argPattern"].flatMap((key) => (entry[key] === undefined ? [] : [[key, entry[key]]])))]
        : [];
    });
    return [[name, { ...known(section), allowlist }]];
  });
  const document = {
    version: 1,
    ...(socket === null ? {} : { socket: { path: socket.path, token: socket.token } }),
    defaults: known(objectAt(ours, "defaults")),
    agents: Object.fromEntries(agents),
  };
  return { document, leftOut };
}

function known(section: JsonObject): JsonObject {
  return Object.fromEntries(
    FIELDS.flatMap((field) => (section[field] === undefined || section[field] === null ? [] : [[field, section[field]]])),
  );
}

function objectAt(raw: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(raw, key) ? raw[key] : undefined;
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}
