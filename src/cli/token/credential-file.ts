/** Files that hold one token: made at 0600 before a byte is in them, and handed over to their user only then. */

import { chown, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { CallError } from "../../client/call-error.ts";
import { errnoOf } from "../../store/io-denial.ts";
import { replaceFile } from "../../store/replace.ts";
import { must } from "../must.ts";

export async function writeCredential(path: string, token: string, owner?: { readonly uid: number; readonly gid: number }): Promise<void> {
  await makeDirectory(dirname(path), owner);
  must(await replaceFile(path, `${token}\n`));
  await handOver(path, owner);
}

async function makeDirectory(path: string, owner?: { readonly uid: number; readonly gid: number }): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new CallError("state.io", `\`${path}\` cannot be made (${errnoOf(error)}); choose another with --out FILE`, { path });
  });
  if (first === undefined) return;
  // Everything that was made on the way, outermost first, down to the directory itself.
  for (let made = path; made.startsWith(first); made = dirname(made)) await handOver(made, owner);
}

async function handOver(path: string, owner?: { readonly uid: number; readonly gid: number }): Promise<void> {
  if (owner === undefined || owner.uid === process.geteuid?.()) return;
  await chown(path, owner.uid, owner.gid).catch((error: unknown) => {
    const message = `\`${path}\` cannot be given to uid ${owner.uid} (${errnoOf(error)}); do this as root`;
    throw new CallError("state.io", message, { path, uid: owner.uid });
  });
}
