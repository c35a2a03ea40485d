import { type Denial, denial } from "../core/denial.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { type AllowEntry, entryKey, grantKey, type NewEntry, namesOf, readEntry } from "./allow-entry.ts";
import { type ExecDocument, readDocument } from "./document.ts";
import { type Fault, isList } from "./document-fields.ts";

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

/**
 * Writes down when entries were last used; a bare string becomes an object for it. This is the one edit that happens by itself, again and
 * again: it touches the entries it names, and shares everything else, the substance too, with the version before.
 */
export function withUses(document: ExecDocument, uses: readonly EntryUse[]): ExecDocument {
  const byKey = new Map(uses.map((use) => [use.key, use]));
  let { raw } = document;
  const agents = new Map(document.agents);
  for (const [agent, section] of document.agents) {
    const present = [...listAt(raw, agent)];
    const allowlist = section.allowlist.map((entry) => {
      const use = byKey.get(entry.key);
      if (use === undefined) return entry;
      const written = present[entry.index] ?? null;
      const marked = {
        ...(isJsonObject(written) ? written : { pattern: written }),
        lastUsedAt: use.at,
        lastUsedCommand: use.command,
        lastResolvedPath: use.resolvedPath,
      };
      present[entry.index] = marked;
      return rereadEntry(marked, section.path, entry.index);
    });
    if (allowlist.every((entry, at) => entry === section.allowlist[at])) continue;
    raw = withList(raw, agent, present);
    agents.set(agent, { ...section, allowlist });
  }
  return raw === document.raw ? document : { ...document, raw, agents };
}

/** Takes out grants that ran out; `isSpent` is asked for entries bounded by uses. */
export function pruned(document: ExecDocument, now: number, isSpent: (key: string) => boolean): ExecDocument {
  let changed = document;
  for (const [agent, section] of document.agents) {
    const over = new Set(
      section.allowlist
        .filter((entry) => (entry.expiresAt !== null && entry.expiresAt <= now) || (entry.usesLeft !== null && isSpent(entry.key)))
        .map((entry) => entry.index),
    );
    if (over.size === 0) continue;
    const kept = listAt(document.raw, agent).filter((_, index) => !over.has(index));
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

/** The same for one entry whose neighbours were not touched, from its text: half a character would make the whole file unreadable. */
function rereadEntry(written: JsonObject, agentPath: string, index: number): AllowEntry {
  const faults: Fault[] = [];
  const parsed = parseStrictJson(JSON.stringify(written));
  const entry = parsed.ok ? readEntry(parsed.value, { object: {}, path: agentPath, faults }, index) : null;
  if (entry === null || faults.length > 0) throw new Error(`an edit broke an entry: ${agentPath}.allowlist[${index}]`);
  return entry;
}
