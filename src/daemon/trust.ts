/** Gateways that decide elsewhere, by name, with their keys ready to verify. */
import { parseIssuerKey, type TrustedIssuer } from "../auth/approval-token.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { readTrustFile, type StoredTrust, writeTrustFile } from "../store/trust-file.ts";

export interface Trust {
  issuers(): ReadonlyMap<string, TrustedIssuer>;
  add(iss: string, publicKey: string, agents: readonly string[] | null, nowMs: number): Promise<Result<void, Denial>>;
  remove(iss: string): Promise<Result<void, Denial>>;
  list(): readonly JsonObject[];
  /** After somebody edited the file by hand. */
  reload(): Result<void, Denial>;
}

export function openTrust(path: string, uid: number): Result<Trust, Denial> {
  let stored: StoredTrust = new Map();
  let ready: ReadonlyMap<string, TrustedIssuer> = new Map();

  function adopt(next: StoredTrust): Result<void, Denial> {
    const parsed = new Map<string, TrustedIssuer>();
    for (const [iss, { publicKey, agents }] of next) {
      const key = parseIssuerKey(publicKey);
      if (!key.ok)
        return fail(denial("config.invalid", `the key of \`${iss}\` in \`${path}\` is not an Ed25519 key; enrol it again`, { path }));
      parsed.set(iss, { publicKey: key.value, agents });
    }
    stored = next;
    ready = parsed;
    return ok(undefined);
  }

  function reload(): Result<void, Denial> {
    const found = readTrustFile(path, uid);
    return found.ok ? adopt(found.value) : found;
  }

  async function write(next: StoredTrust): Promise<Result<void, Denial>> {
    const written = await writeTrustFile(path, next);
    return written.ok ? adopt(next) : written;
  }

  const opened = reload();
  if (!opened.ok) return opened;
  return ok({
    issuers: () => ready,
    reload,
    async add(iss, publicKey, agents, nowMs) {
      const key = parseIssuerKey(publicKey);
      if (!key.ok) return key;
      const pem = key.value.export({ type: "spki", format: "pem" }).toString();
      return write(new Map([...stored, [iss, { publicKey: pem, agents, addedAtMs: nowMs }]]));
    },
    async remove(iss) {
      if (!stored.has(iss))
        return fail(denial("wire.invalid-params", `\`${iss}\` is not enrolled; see \`countersign trust list\``, { field: "iss" }));
      return write(new Map([...stored].filter(([name]) => name !== iss)));
    },
    list: () => [...stored].map(([iss, { publicKey, agents, addedAtMs }]) => ({ iss, agents, addedAtMs, publicKey })),
  });
}
