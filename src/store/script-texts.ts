/**
 * The scripts behind a request, as text, so that a person can read them and see what changed since they were last allowed. Only for eyes:
 * nothing is decided by what is kept here, a failure to keep it costs a look and nothing else, and what does not hash to what was bound
 * is not shown.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BoundParts } from "../binding/binding.ts";
import type { HashedFile } from "../binding/evidence.ts";
import { isJsonObject } from "../core/json.ts";
import { ALLOWED_TEXTS_MAX, SCRIPT_TEXT_BYTES_MAX, SCRIPT_TEXTS_PER_REQUEST_MAX } from "../core/limits.ts";
import { sha256Of } from "../core/sha256.ts";
import { replaceFile } from "./replace.ts";

export interface ScriptTexts {
  /** Before the question is told to anyone. */
  keep(id: string, parts: BoundParts): Promise<void>;
  /** By path. */
  read(id: string, parts: BoundParts): ReadonlyMap<string, ScriptText>;
  /** Remembers what was allowed, for the next time the same path is asked about. */
  allowed(id: string, parts: BoundParts, atMs: number): Promise<void>;
  drop(id: string): Promise<void>;
  sweep(isKnown: (id: string) => boolean): Promise<void>;
}

export interface ScriptText {
  readonly text: string;
  /** The same bytes were allowed before. */
  readonly knownSinceMs: number | null;
  /** Other bytes were allowed before. */
  readonly earlier: { readonly text: string; readonly atMs: number } | null;
}

interface AllowedText {
  readonly text: string;
  readonly sha256: string;
  readonly atMs: number;
}

const KEPT = ".texts";
const ALLOWED = /^allowed-[0-9a-f]{64}\.text$/;

export function openScriptTexts(directory: string): ScriptTexts {
  const keptFile = (id: string): string => join(directory, `${id}${KEPT}`);
  const allowedFile = (path: string): string => join(directory, `allowed-${sha256Of(path)}.text`);
  /** Listed once: every question of the day lies in the same directory. */
  let names: Set<string> | null = null;

  function kept(id: string, parts: BoundParts): ReadonlyMap<string, string> {
    const found = readJson(keptFile(id));
    const texts = new Map<string, string>();
    for (const { path, sha256 } of filesOf(parts)) {
      const text = isJsonObject(found) ? found[path] : undefined;
      if (typeof text === "string" && sha256Of(text) === sha256) texts.set(path, text);
    }
    return texts;
  }

  return {
    async keep(id, parts) {
      const texts = new Map<string, string>();
      for (const file of filesOf(parts)) {
        if (texts.size >= SCRIPT_TEXTS_PER_REQUEST_MAX) break;
        const text = readText(file);
        if (text !== null) texts.set(file.path, text);
      }
      if (texts.size === 0) return;
      await writeFile(keptFile(id), JSON.stringify(Object.fromEntries(texts)), { mode: 0o600, flag: "wx" }).catch(() => undefined);
    },
    read(id, parts) {
      const hashes = new Map<string, string>(filesOf(parts).map(({ path, sha256 }) => [path, sha256]));
      return new Map(
        [...kept(id, parts)].map(([path, text]) => {
          const before = readAllowed(allowedFile(path));
          const same = before !== null && before.sha256 === hashes.get(path);
          const earlier = before === null || same ? null : { text: before.text, atMs: before.atMs };
          return [path, { text, knownSinceMs: same ? before.atMs : null, earlier }];
        }),
      );
    },
    async allowed(id, parts, atMs) {
      const texts = kept(id, parts);
      if (texts.size === 0) return;
      names ??= new Set((await readdir(directory)).filter((name) => ALLOWED.test(name)));
      for (const [path, text] of texts) {
        await replaceFile(allowedFile(path), JSON.stringify({ path, atMs, sha256: sha256Of(text), text }));
        names.add(basename(allowedFile(path)));
      }
      await forgetOldest(directory, names).catch(() => undefined);
    },
    drop: (id) => rm(keptFile(id), { force: true }),
    async sweep(isKnown) {
      for (const name of await readdir(directory)) {
        if (name.endsWith(KEPT) && !isKnown(name.slice(0, -KEPT.length))) await rm(join(directory, name), { force: true });
      }
    },
  };
}

function filesOf({ files, executable, nested }: BoundParts): readonly HashedFile[] {
  const seen = new Set<string>();
  return [...files, executable, ...nested].filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** By its path, and believed only when it hashes to what was bound: a file swapped in between shows nothing rather than something else. */
function readText({ path, sha256 }: HashedFile): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return null;
  }
  try {
    const found = fstatSync(fd);
    if (!found.isFile() || found.size > SCRIPT_TEXT_BYTES_MAX) return null;
    const bytes = readFileSync(fd);
    return sha256Of(bytes) === sha256 ? textOf(bytes) : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** Text is what survives being one, without NUL, and does not swell when it is written as JSON: a screen of escapes is not for reading. */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") || JSON.stringify(text).length > 2 * SCRIPT_TEXT_BYTES_MAX ? null : text;
  } catch {
    return null;
  }
}

function readAllowed(file: string): AllowedText | null {
  const found = readJson(file);
  if (!isJsonObject(found)) return null;
  const { text, sha256, atMs } = found;
  if (typeof text !== "string" || typeof sha256 !== "string" || typeof atMs !== "number") return null;
  return sha256Of(text) === sha256 ? { text, sha256, atMs } : null;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

async function forgetOldest(directory: string, names: Set<string>): Promise<void> {
  if (names.size <= ALLOWED_TEXTS_MAX) return;
  const aged = await Promise.all([...names].map(async (name) => ({ name, atMs: await changedAtMs(join(directory, name)) })));
  for (const { name } of aged.sort((one, other) => one.atMs - other.atMs).slice(0, names.size - ALLOWED_TEXTS_MAX)) {
    await rm(join(directory, name), { force: true });
    names.delete(name);
  }
}

/** One that somebody else has removed counts as the oldest. */
async function changedAtMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}
