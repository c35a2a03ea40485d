import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CallError } from "../../client/call-error.ts";
import type { Client } from "../../client/client.ts";
import { findInState } from "../../client/credential.ts";
import { homeOf } from "../../client/locate.ts";
import type { Role } from "../../client/proof.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { sha256Of } from "../../core/sha256.ts";
import { newGatewayToken } from "../../store/secrets.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { wholeNumber } from "../flag-values.ts";
import { placeOf, withClient } from "../session.ts";
import { tell } from "../tell.ts";
import { writeCredential } from "./credential-file.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const role = roleOf(call);
  const user = userOf(call);
  const name = call.text("gateway");
  if (name !== undefined && role !== "gateway") throw new UsageError("`--gateway` names a gateway, so it goes with --role gateway");
  if (call.has("agents") && name === undefined) throw new UsageError("`--agents` binds a gateway of its own, so it needs --gateway NAME");
  if (user.uid !== process.geteuid?.() && process.geteuid?.() !== 0) {
    throw new CallError("client.no-access", `only root can give a file to uid ${user.uid}; do this with sudo and --state-dir`, {
      uid: user.uid,
    });
  }
  const out = call.text("out") ?? (user.home === null ? undefined : join(user.home, ".config/countersign", `${role}.token`));
  if (out === undefined) throw new UsageError(`uid ${user.uid} has no home that is known here; say where the file goes: --out FILE`);

  const token =
    name === undefined ? ownToken(call, role) : await withClient(call, "operator", (client) => addGateway(client, name, agentsOf(call)));
  await writeCredential(out, token, user);
  const admitted = user.uid === process.geteuid?.() || user.uid === 0 || (await mayConnect(call, user.uid));
  if (call.has("json")) io.out(JSON.stringify({ role, gateway: name ?? null, uid: user.uid, path: out, mayConnect: admitted }));
  else {
    tell(io, `uid ${user.uid} has the ${name === undefined ? role : `gateway \`${name}\``} token in ${out}`);
    if (!admitted)
      tell(io, `it may not open the socket yet: add ${user.uid} to socket.allowUids in exec-approvals.json and restart the daemon`);
  }
  return EXIT.ok;
}

function roleOf(call: CommandCall): Role {
  const role = call.text("role");
  if (role !== "gateway" && role !== "operator") throw new UsageError("`token issue` needs --role gateway or --role operator");
  return role;
}

interface User {
  readonly uid: number;
  readonly gid: number;
  readonly home: string | null;
}

/** Node knows the home of its own user alone, so passwd(5) is read; a directory service's users are given with --out. */
function userOf(call: CommandCall): User {
  const uid = wholeNumber(call, "for-uid");
  if (uid === undefined) throw new UsageError("`token issue` needs --for-uid UID: whose file it will be");
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((text) => text.split(":"))
    .find((fields) => fields[2] === String(uid));
  // One's own commands look below $HOME, wherever that is.
  const home = uid === process.geteuid?.() ? homeOf(call.io.env) : line?.[5];
  return { uid, gid: Number(line?.[3] ?? uid), home: home?.startsWith("/") === true ? home : null };
}

function ownToken(call: CommandCall, role: Role): string {
  // Not from where this user's own commands look: what was issued there may be older than the last rotation.
  const { credential, looked } = findInState(placeOf(call).stateDir, role);
  if (credential !== null) return credential.token;
  throw new CallError("client.no-credential", `there is no ${role} token at ${looked.join(" or ")}; make one: countersign init`, {
    looked,
  });
}

function agentsOf(call: CommandCall): readonly string[] | null {
  return call.text("agents")?.split(",") ?? null;
}

/** The daemon keeps the token's hash alone; the token itself exists in the file that is written next. */
async function addGateway(client: Client, name: string, agents: readonly string[] | null): Promise<string> {
  const { document, hash } = await client.call("exec.approvals.get");
  const socket = objectAt(document, "socket");
  const gateways = objectAt(socket, "gateways");
  if (Object.hasOwn(gateways, name)) {
    throw new CallError(
      "state.conflict",
      `there is a gateway \`${name}\` already; give it a new token: countersign token rotate --gateway ${name}`,
      { name },
    );
  }
  const token = newGatewayToken(name);
  const gateway = { tokenSha256: sha256Of(token), ...(agents === null ? {} : { agents }) };
  const next = { ...document, socket: { ...socket, gateways: { ...gateways, [name]: gateway } } };
  await client.call("exec.approvals.set", { document: next, baseHash: hash });
  return token;
}

async function mayConnect(call: CommandCall, uid: number): Promise<boolean> {
  const { document } = await withClient(call, "operator", (client) => client.call("exec.approvals.get"));
  const allowed: JsonValue | undefined = objectAt(document, "socket")["allowUids"];
  return Array.isArray(allowed) && allowed.includes(uid);
}

function objectAt(from: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(from, key) ? from[key] : undefined;
  return isJsonObject(value) ? value : {};
}
