import { type Denial, denial } from "../core/denial.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { entryKey, grantKey, type NewEntry, namesOf } from "./allow-entry.ts";
import { type ExecDocument, readDocument } from "./document.ts";
import { isList } from "./document-fields.ts";

/** Every change to exec-approvals.json, as a function from document to document. Edits touch what they name and keep the rest as written. */

export function withSocket(document: ExecDocument, socket: { readonly path?: string; readonly token?: string }): ExecDocument {
  return reread({ ...document.raw, socket: { ...objectAt(document.raw, "socket"), ...socket } });
}

export function withGatewayToken(document: ExecDocument, name: string, tokenSha256: string): ExecDocument {
  const socket = objectAt(document.raw, "socket");
  const gateways = objectAt(socket, "gateways");
  const gateway = { ...objectAt(gateways, name), tokenSha256 };
  return reread({ ...document.raw, socket: { ...socket, gateways: { ...gateways, [name]: gateway } } });
}

/** Adds what is not already granted on the same terms. */
export function withEntries(
  document: ExecDocument,
  agent: string,
  entries: readonly (NewEntry & { readonly id: string; readonly source?: string })[],
): Result<ExecDocument, Denial> {
  const present = listAt(document.raw, agent);
  const granted = new Set(present.map((entry) => grantKey(isJsonObject(entry) ? entry : { pattern: entry })));
  const added: JsonObject[] = [];
  for (const entry of entries) {
    const raw: JsonObject = { ...entry };
    const objection = objectionToPattern(entry.pattern);
    if (objection !== null) return fail(denial("wire.invalid-params", objection));
    if (granted.has(grantKey(raw))) continue;
    granted.add(grantKey(raw));
    added.push(raw);
  }
  if (added.length === 0) return ok(document);
  const edited = readDocument(withList(document.raw, agent, [...present, ...added]));
  return edited.ok ? edited : fail({ ...edited.failure, code: "wire.invalid-params" });
}

/** A blank at either end is a slip of the hand, and what it would cover is not what its author sees. */
function objectionToPattern(pattern: string): string | null {
  if (pattern.trim() === "") return "a pattern must not be blank; name a path or a command";
  return pattern.trim() === pattern ? null : "a pattern must not begin or end with a blank; leave it out";
}

/** Removes every entry whose id or pattern is named. */
export function withoutEntries(document: ExecDocument, agent: string, names: readonly string[]): ExecDocument {
  const gone = new Set(names);
  const present = listAt(document.raw, agent);
  const kept = present.filter((entry) => !namesOf(entry).some((name) => gone.has(name)));
  return kept.length === present.length ? document : reread(withList(document.raw, agent, kept));
}

/** The same by `AllowEntry.key`, which entries without an id have too. */
export function withoutKeys(document: ExecDocument, keys: ReadonlySet<string>): ExecDocument {
  let changed = document;
  for (const [agent, section] of document.agents) {
    const present = listAt(document.raw, agent);
    const kept = present.filter((entry) => !keys.has(entryKey(isJsonObject(entry) ? entry : { pattern: entry }, section.path)));
    if (kept.length < present.length) changed = reread(withList(changed.raw, agent, kept));
  }
  return changed;
}

export interface EntryUse {
  /** `AllowEntry.key`. */
  readonly key: string;
  readonly at: number;
  readonly command: string;
  readonly resolvedPath: string;
}

/** Writes down when entries were last used; a bare string becomes an object for it. */
export function withUses(document: ExecDocument, uses: readonly EntryUse[]): ExecDocument {
  const byKey = new Map(uses.map((use) => [use.key, use]));
  let changed = document;
  for (const [agent, section] of document.agents) {
    const present = listAt(document.raw, agent);
    const marked = present.map((entry) => {
      const raw = isJsonObject(entry) ? entry : { pattern: entry };
      const use = byKey.get(entryKey(raw, section.path));
      if (use === undefined) return entry;
      return { ...raw, lastUsedAt: use.at, lastUsedCommand: use.command, lastResolvedPath: use.resolvedPath };
    });
    if (marked.some((entry, index) => entry !== present[index])) changed = reread(withList(changed.raw, agent, marked));
  }
  return changed;
}

/** Takes out grants that ran out; `isSpent` is asked for entries bounded by uses. */
export function pruned(document: ExecDocument, now: number, isSpent: (key: string) => boolean): ExecDocument {
  let changed = document;
  for (const [agent, section] of document.agents) {
    const over = new Set(
      section.allowlist
        .filter((entry) => (entry.expiresAt !== null && entry.expiresAt <= now) || (entry.usesLeft !== null && isSpent(entry.key)))
        .map((entry) => entry.source),
    );
    if (over.size === 0) continue;
    const kept = listAt(document.raw, agent).filter((_, index) => !over.has(`${section.path}.allowlist[${index}]`));
    changed = reread(withList(changed.raw, agent, kept));
  }
  return changed;
}

/** A whole new document, with the stored socket members wherever it leaves them out: what was read redacted can be written back. */
export function replaced(stored: ExecDocument, next: JsonValue): Result<ExecDocument, Denial> {
  const read = readDocument(next);
  if (!read.ok) return read;
  const kept = objectAt(stored.raw, "socket");
  const given = Object.fromEntries(Object.entries(objectAt(read.value.raw, "socket")).filter(([, value]) => value !== null));
  return ok(reread({ ...read.value.raw, socket: { ...kept, ...given } }));
}

/** What a client may read: the socket section is rebuilt without the token, so there is nothing to forget to blank out. */
export function withoutSecrets(document: ExecDocument): JsonObject {
  const { token: _, ...socket } = objectAt(document.raw, "socket");
  return { ...document.raw, socket };
}

/** The document without `lastUsed*`: two versions with the same substance differ in nothing that decides. */
export function substanceOf(document: ExecDocument): string {
  return JSON.stringify(document.raw, (_, value: JsonValue) => {
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).filter(([key]) => !key.startsWith("lastUsed") && key !== "lastResolvedPath");
    // A bare pattern becomes an object when its first use is written down.
    return kept.length === 1 && kept[0]?.[0] === "pattern" ? kept[0][1] : Object.fromEntries(kept);
  });
}

function withList(raw: JsonObject, agent: string, allowlist: readonly JsonValue[]): JsonObject {
  const agents = objectAt(raw, "agents");
  return { ...raw, agents: { ...agents, [agent]: { ...objectAt(agents, agent), allowlist } } };
}

function listAt(raw: JsonObject, agent: string): readonly JsonValue[] {
  const list = objectAt(objectAt(raw, "agents"), agent)["allowlist"];
  return isList(list) ? list : [];
}

function objectAt(raw: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(raw, key) ? raw[key] : undefined;
  return isJsonObject(value) ? value : {};
}

/** An edit of a valid document that does not read is our own mistake, and must not reach the file. */
function reread(raw: JsonObject): ExecDocument {
  const read = readDocument(raw);
  if (!read.ok) throw new Error(`an edit broke the document: ${read.failure.message}`);
  return read.value;
}
