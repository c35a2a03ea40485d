/** The daemon that a program on this machine means when it says nothing else: by the same rules as the command line, which goes through here. */
import { existsSync } from "node:fs";
import { CallError } from "./call-error.ts";
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
  if (!existsSync(socketPath)) {
    throw new CallError("client.unreachable", `there is no daemon at \`${socketPath}\`; start one: countersign daemon`, {
      socket: socketPath,
    });
  }
  throw new CallError(
    "client.no-credential",
    `no ${role} token for \`${socketPath}\`, looked at ${looked.map((path) => `\`${path}\``).join(" and ")}; give one with --token-file`,
    { looked, role },
  );
}
