/**
 * The newest record's number and hash, kept apart from the chain: without it nobody could tell a chain that was cut off from one that
 * simply ends there.
 *
 * It is written after each commit and not synced. The commit itself is synced first, so the chain on disk is never older than the head
 * on disk: after a power failure the head may lag, and a chain that goes on past its head is in order. A head that the chain does not
 * reach has no honest explanation. The content has a fixed length within one disk sector and is overwritten in place, so it is always
 * one head or another, never half of one.
 */
import { constants, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../store/io-denial.ts";
import { type ChainHead, GENESIS } from "./chain.ts";

const NAME = "head";
const FORM = /^(\d{16}) ([0-9a-f]{64})\n$/;

export async function openHeadFile(directory: string): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const file = await open(join(directory, NAME), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  // The umask may have taken bits away.
  await file.chmod(0o600);
  return file;
}

export function writeHead(file: FileHandle, head: ChainHead): void {
  writeSync(file.fd, `${String(head.seq).padStart(16, "0")} ${head.hash}\n`, 0, "latin1");
}

/** `"none"` when there is no file, `"broken"` when it holds anything but a head. */
export async function readHead(directory: string): Promise<ChainHead | "none" | "broken"> {
  let file: FileHandle;
  try {
    file = await open(join(directory, NAME), constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "none";
    throw error;
  }
  try {
    const found = FORM.exec((await file.readFile("latin1")).slice(0, 128));
    const seq = Number(found?.[1]);
    const hash = found?.[2];
    if (hash === undefined) return "broken";
    return seq === 0 ? GENESIS : { seq, hash };
  } finally {
    await file.close();
  }
}
