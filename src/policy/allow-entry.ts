import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { netstrings } from "../core/netstring.ts";
import { parseSha256, type Sha256, sha256Of } from "../core/sha256.ts";
import { fault, type Place, text, wholeNumber } from "./document-fields.ts";

/** What decides in one line of an allowlist, and where it stands (`agents.main.allowlist[0]`). */
export interface Grant {
  /** The entry's id, or a digest of what it grants: what `usesLeft` and `lastUsed` are counted under. */
  readonly key: string;
  readonly source: string;
  /** Its place in the list as it was written, blank patterns counted. */
  readonly index: number;
  readonly pattern: string;
  readonly argPattern: string | null;
  readonly sha256: Sha256 | null;
  readonly expiresAt: number | null;
  /** As granted; how many are left is for the journal to say. */
  readonly usesLeft: number | null;
}

export interface AllowEntry extends Grant {
  readonly lastUsedAt: number | null;
}

/** What an edit adds; the store gives it an id. */
export interface NewEntry {
  readonly pattern: string;
  readonly argPattern?: string;
  readonly sha256?: Sha256;
  readonly expiresAt?: number;
  readonly usesLeft?: number;
}

/** `null` for a blank pattern, which grants nothing and is left lying as it was written. */
export function readEntry(value: JsonValue, agent: Place, index: number): AllowEntry | null {
  const key = `allowlist[${index}]`;
  const source = `${agent.path}.${key}`;
  if (typeof value === "string")
    return value.trim() === "" ? null : entryOf({ object: { pattern: value }, path: source, faults: agent.faults }, agent.path, index);
  if (isJsonObject(value)) return entryOf({ object: value, path: source, faults: agent.faults }, agent.path, index);
  agent.faults.push({ path: source, message: "must be a pattern or an object with one" });
  return null;
}

/** The names under which an entry in a raw document can be removed: its id and its pattern. */
export function namesOf(raw: JsonValue): readonly string[] {
  if (typeof raw === "string") return [raw];
  if (!isJsonObject(raw)) return [];
  return [raw["id"], raw["pattern"]].filter((name) => typeof name === "string");
}

/** Two entries that grant the same thing on the same terms. */
export function grantKey(entry: JsonObject): string {
  const parts = ["pattern", "argPattern", "sha256", "expiresAt", "usesLeft"].map((name) => JSON.stringify(entry[name] ?? null));
  return `sha256:${sha256Of(netstrings(parts))}`;
}

/** `AllowEntry.key` of an entry as it was written. */
export function entryKey(entry: JsonObject, agentPath: string): string {
  return typeof entry["id"] === "string" ? entry["id"] : `${agentPath} ${grantKey(entry)}`;
}

function entryOf(place: Place, agentPath: string, index: number): AllowEntry | null {
  const pattern = place.object["pattern"] ?? null;
  if (typeof pattern !== "string" || pattern.includes("\0")) return fault(place, "pattern", "must be a text");
  const digest = text(place, "sha256");
  const sha256 = digest === null ? null : parseSha256(digest);
  if (sha256?.ok === false) fault(place, "sha256", "must be 64 lower-case hex digits");
  const entry: AllowEntry = {
    key: text(place, "id") ?? entryKey(place.object, agentPath),
    source: place.path,
    index,
    pattern,
    // An empty expression would match every argument list: text() refuses it as a mistake rather than read it as a grant.
    argPattern: text(place, "argPattern"),
    sha256: sha256?.ok === true ? sha256.value : null,
    expiresAt: wholeNumber(place, "expiresAt"),
    usesLeft: wholeNumber(place, "usesLeft"),
    lastUsedAt: wholeNumber(place, "lastUsedAt"),
  };
  return pattern.trim() === "" ? null : entry;
}
