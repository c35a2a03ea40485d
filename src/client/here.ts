/** The daemon that a program on this machine means when it says nothing else: by the same rules as the command line, which goes through here. */
import { lstatSync } from "node:fs";
import { CallError } from "./call-error.ts";
import { unreachable } from "./connection.ts";
import { findDaemon } from "./credential.ts";
import { locate, type Variables } from "./locate.ts";
import type { Role } from "./proof.ts";

export interface Where {
  readonly stateDir?: string | undefined;
  readonly socket?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Whose surroundings to look at; the process's own by default. */
  readonly env?: Variables;
}

export type Found = { readonly socketPath: string; readonly role: Role } & ({ readonly token: string } | { readonly tokenFile: string });

export function daemonHere(role: Role, where: Where = {}): Found {
  const { stateDir, socket, tokenFile, env = process.env } = where;
  const { socketPath, credential, looked } = findDaemon(locate({ stateDir, socket }, env), role, tokenFile, env);
  // Operators' tokens are files of their own. By its path it is read again for each connection, so that watching survives a rotation.
  if (credential !== null && role === "operator") return { socketPath, role, tokenFile: credential.source };
  if (credential !== null) return { socketPath, role, token: credential.token };
  const missing = errnoOfLook(socketPath);
  if (missing !== null) throw unreachable(socketPath, missing);
  throw new CallError(
    "client.no-credential",
    `no ${role} token for \`${socketPath}\`, looked at ${looked.map((path) => `\`${path}\``).join(" and ")}; give one with --token-file`,
    { looked, role },
  );
}

/** Why it cannot be looked at; `null` when it is there. */
function errnoOfLook(path: string): string | null {
  try {
    lstatSync(path);
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  }
}
