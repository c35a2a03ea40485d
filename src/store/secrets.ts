/** The small files that are made once and kept: tokens, the key for approval tokens, and the name this host goes by. */
import { randomBytes, randomUUID } from "node:crypto";
import { type Denial, denial } from "../core/denial.ts";
import { TOKEN_FILE_BYTES_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { replaceFile } from "./replace.ts";
import { readSafely } from "./safe-file.ts";

const TOKEN_BYTES = 24;
const KEY_BYTES = 32;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/**
 * For a further gateway, of whose token the daemon keeps only the hash: it cannot prove to know it, so its holder must show it. The beginning
 * tells clients so, and people which file they are looking at.
 */
export function newGatewayToken(name: string): string {
  return `gateway:${name}:${newToken()}`;
}

export interface Secrets {
  readonly operatorToken: string;
  readonly tokenKey: Uint8Array;
  readonly hostId: string;
}

export interface SecretPaths {
  readonly operatorToken: string;
  readonly tokenKey: string;
  readonly hostId: string;
}

/** Makes what is missing and reads what is there; nothing that is there is ever replaced. */
export async function openSecrets(paths: SecretPaths, uid: number): Promise<Result<Secrets, Denial>> {
  const operatorToken = await readOrMake(paths.operatorToken, uid, true, newToken, isToken);
  if (!operatorToken.ok) return operatorToken;
  const key = await readOrMake(paths.tokenKey, uid, true, () => randomBytes(KEY_BYTES).toString("base64url"), isKey);
  if (!key.ok) return key;
  const hostId = await readOrMake(paths.hostId, uid, false, randomUUID, isHostId);
  if (!hostId.ok) return hostId;
  return ok({ operatorToken: operatorToken.value, tokenKey: Buffer.from(key.value, "base64url"), hostId: hostId.value });
}

export function writeToken(path: string, token: string): Promise<Result<void, Denial>> {
  return replaceFile(path, `${token}\n`);
}

export function readOperatorToken(path: string, uid: number): Result<string, Denial> {
  const found = readSmall(path, uid, true);
  if (!found.ok) return found;
  return found.value !== null && isToken(found.value) ? ok(found.value) : fail(unusable(path));
}

async function readOrMake(
  path: string,
  uid: number,
  secret: boolean,
  make: () => string,
  isUsable: (text: string) => boolean,
): Promise<Result<string, Denial>> {
  const found = readSmall(path, uid, secret);
  if (!found.ok) return found;
  if (found.value !== null) return isUsable(found.value) ? ok(found.value) : fail(unusable(path));
  const made = make();
  const written = await writeToken(path, made);
  return written.ok ? ok(made) : written;
}

/** `null` when nothing is there. */
function readSmall(path: string, uid: number, secret: boolean): Result<string | null, Denial> {
  const found = readSafely(path, { uid, secret, bytesMax: TOKEN_FILE_BYTES_MAX });
  if (found.kind === "missing") return ok(null);
  if (found.kind === "read") return ok(found.bytes.toString("utf8").trim());
  return fail(denial("config.invalid", `\`${path}\` ${found.what}; ${found.remedy}`, { path }));
}

function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{22,}$/.test(text);
}

function isKey(text: string): boolean {
  return Buffer.from(text, "base64url").length >= KEY_BYTES;
}

function isHostId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(text);
}

function unusable(path: string): Denial {
  return denial("config.invalid", `\`${path}\` does not hold what belongs there; move it away and a new one is made`, { path });
}
