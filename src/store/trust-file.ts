/** `trust.json`: the public keys of gateways that decide elsewhere. An operator puts them there, by name. */
import { type Denial, denial } from "../core/denial.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { DOCUMENT_BYTES_MAX, TRUST_ISSUERS_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { replaceFile } from "./replace.ts";
import { readSafely, utf8Of } from "./safe-file.ts";

export interface StoredIssuer {
  /** PEM. */
  readonly publicKey: string;
  readonly agents: readonly string[] | null;
  readonly addedAtMs: number;
}

export type StoredTrust = ReadonlyMap<string, StoredIssuer>;

export function readTrustFile(path: string, uid: number): Result<StoredTrust, Denial> {
  const found = readSafely(path, { uid, secret: false, bytesMax: DOCUMENT_BYTES_MAX });
  if (found.kind === "missing") return ok(new Map());
  if (found.kind === "refused") return fail(broken(path, found.what));
  const value = parseStrictJson(utf8Of(found.bytes) ?? "");
  return value.ok ? trustOf(value.value, path) : fail(broken(path, `is broken: ${value.failure.message}`));
}

export async function writeTrustFile(path: string, trust: StoredTrust): Promise<Result<void, Denial>> {
  if (trust.size > TRUST_ISSUERS_MAX)
    return fail(denial("overloaded", `${TRUST_ISSUERS_MAX} issuers are enrolled; remove one first`, { limit: TRUST_ISSUERS_MAX }));
  const issuers = Object.fromEntries([...trust].map(([name, issuer]): [string, JsonObject] => [name, { ...issuer }]));
  return replaceFile(path, `${JSON.stringify({ version: 1, issuers }, null, 2)}\n`);
}

function trustOf(value: JsonValue, path: string): Result<StoredTrust, Denial> {
  const issuers = isJsonObject(value) && value["version"] === 1 ? value["issuers"] : undefined;
  if (!isJsonObject(issuers)) return fail(broken(path, "has no `issuers`"));
  const trust = new Map<string, StoredIssuer>();
  for (const [name, stored] of Object.entries(issuers)) {
    const issuer = issuerOf(stored);
    if (issuer === null) return fail(broken(path, `says nothing usable about \`${name}\``));
    trust.set(name, issuer);
  }
  return ok(trust);
}

function issuerOf(value: JsonValue | undefined): StoredIssuer | null {
  if (!isJsonObject(value)) return null;
  const { publicKey, agents, addedAtMs } = value;
  if (typeof publicKey !== "string" || typeof addedAtMs !== "number") return null;
  if (agents === null || agents === undefined) return { publicKey, agents: null, addedAtMs };
  return Array.isArray(agents) && agents.every((agent) => typeof agent === "string") ? { publicKey, agents, addedAtMs } : null;
}

function broken(path: string, what: string): Denial {
  return denial("config.invalid", `\`${path}\` ${what}; mend it, or move it away and enrol the gateways again`, { path });
}
