/** Users and their groups, from passwd(5) and group(5). */
import { readFileSync, statSync } from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../core/absolute-path.ts";
import type { Credentials } from "./credentials.ts";

export interface Account extends Credentials {
  readonly name: string;
  readonly home: AbsolutePath;
  readonly shell: string;
}

export interface Accounts {
  /** `null` for a user that the file does not have, or has without a usable row. */
  named(name: string): Account | null;
}

const SHELL_DEFAULT = "/bin/sh"; // passwd(5): an empty field means this.

/** Both files are read again whenever they changed. */
export function createAccounts(passwd = "/etc/passwd", group = "/etc/group"): Accounts {
  const rowsOf = { users: rereading(passwd), groups: rereading(group) };
  return {
    named(name) {
      const user = rowsOf.users().find((row) => row[0] === name);
      if (name === "" || user === undefined) return null;
      const [, , uidText = "", gidText = "", , homeText = "", shell = ""] = user;
      const [uid, gid, home] = [idOf(uidText), idOf(gidText), parseAbsolutePath(homeText)];
      if (uid === null || gid === null || !home.ok) return null;
      const more = rowsOf.groups().flatMap(([, , id = "", members = ""]) => (members.split(",").includes(name) ? [idOf(id)] : []));
      const gids = [...new Set([gid, ...more.filter((id) => id !== null)])];
      return { name, uid, gid, gids, home: home.value, shell: shell === "" ? SHELL_DEFAULT : shell };
    },
  };
}

type Rows = readonly (readonly string[])[];

function rereading(path: string): () => Rows {
  let version = "";
  let rows: Rows = [];
  return () => {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    const now = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
    if (now !== version) {
      const lines = readFileSync(path, "utf8").split("\n");
      rows = lines.filter((line) => !line.startsWith("#")).map((line) => line.split(":"));
      version = now;
    }
    return rows;
  };
}

function idOf(text: string): number | null {
  return /^\d{1,10}$/.test(text) && Number(text) < 2 ** 32 - 1 ? Number(text) : null;
}
