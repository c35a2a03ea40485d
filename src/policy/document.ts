import { type Denial, denial } from "../core/denial.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { parseSha256, type Sha256 } from "../core/sha256.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { type AllowEntry, readEntry } from "./allow-entry.ts";
import { checkedList, choice, type Fault, fault, flag, list, type Place, section, text, texts } from "./document-fields.ts";
import type { Ask, AskFallback, Security } from "./exec-settings.ts";

/** `exec-approvals.json`, read. `raw` is the document as it was written: edits are laid onto it, so that unknown keys live on. */
export interface ExecDocument {
  readonly raw: JsonObject;
  /** One object for all versions that differ in `lastUsed*` alone: what is worked out from a document is kept under it. */
  readonly substance: object;
  readonly socket: SocketSection;
  readonly defaults: PolicyFields;
  /** By agent id, and `*` for all. */
  readonly agents: ReadonlyMap<string, AgentSection>;
}

export interface SocketSection {
  readonly path: string | null;
  readonly token: string | null;
  readonly allowUids: readonly number[];
  readonly gateways: ReadonlyMap<string, GatewaySection>;
  readonly gatewayMayResolve: boolean;
}

export interface GatewaySection {
  readonly tokenSha256: Sha256;
  /** Agent ids or globs over them; `null` means every agent. */
  readonly agents: readonly string[] | null;
}

export interface PolicyFields {
  readonly security: Security | null;
  readonly ask: Ask | null;
  readonly askFallback: AskFallback | null;
  readonly autoAllowSkills: boolean | null;
}

export interface AgentSection extends PolicyFields {
  readonly path: string;
  readonly allowlist: readonly AllowEntry[];
}

export const SECURITIES = ["deny", "allowlist", "full"] as const satisfies readonly Security[];
export const ASKS = ["off", "on-miss", "always"] as const satisfies readonly Ask[];
export const ASK_FALLBACKS = ["deny", "allowlist", "full"] as const satisfies readonly AskFallback[];
const VERSION = 1;

export function parseDocument(documentText: string): Result<ExecDocument, Denial> {
  const parsed = parseStrictJson(documentText);
  if (parsed.ok) return readDocument(parsed.value);
  // The reader's remedy is for whoever sends JSON; here a person has to mend a file.
  const [what = ""] = parsed.failure.message.split(/; (?=[^;]*$)/);
  return corrupt([{ path: "", message: `is broken: ${what}${lineOfFault(documentText)}` }]);
}

/** The engine's own message quotes the text, which holds a token: its position alone is taken over. */
function lineOfFault(json: string): string {
  try {
    JSON.parse(json);
    return "";
  } catch (error) {
    const at = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    return ` at line ${json.slice(0, at === undefined ? json.length : Number(at)).split("\n").length}`;
  }
}

/** The same for a value that a strict parser already read, as in `exec.approvals.set`. */
export function readDocument(value: JsonValue): Result<ExecDocument, Denial> {
  if (!isJsonObject(value)) return corrupt([{ path: "", message: "must be an object" }]);
  const root: Place = { object: value, path: "", faults: [] };
  if (value["version"] !== VERSION) fault(root, "version", `must be ${VERSION}`);
  const document: ExecDocument = {
    raw: value,
    substance: {},
    socket: readSocket(section(root, "socket") ?? { ...root, object: {} }),
    defaults: readPolicy(section(root, "defaults") ?? { ...root, object: {} }),
    agents: readAgents(section(root, "agents") ?? { ...root, object: {} }),
  };
  return root.faults.length === 0 ? ok(document) : corrupt(root.faults);
}

export function defaultDocument(socketPath: string, token: string): ExecDocument {
  const read = readDocument({
    version: VERSION,
    socket: { path: socketPath, token },
    defaults: { security: "allowlist", ask: "on-miss", askFallback: "deny", autoAllowSkills: false },
    agents: {},
  });
  if (!read.ok) throw new Error("our own default document does not read");
  return read.value;
}

function readSocket(place: Place): SocketSection {
  return {
    path: text(place, "path"),
    token: text(place, "token"),
    allowUids: checkedList(place, "allowUids", "must be a user id", userId) ?? [],
    gateways: readGateways(section(place, "gateways")),
    gatewayMayResolve: flag(place, "gatewayMayResolve") ?? false,
  };
}

function userId(value: JsonValue): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function readGateways(place: Place | null): ReadonlyMap<string, GatewaySection> {
  const gateways = new Map<string, GatewaySection>();
  for (const name of place === null ? [] : Object.keys(place.object)) {
    const gateway = place === null ? null : section(place, name);
    if (gateway === null) continue;
    const digest = parseSha256(text(gateway, "tokenSha256") ?? "");
    if (!digest.ok) fault(gateway, "tokenSha256", "must be 64 lower-case hex digits");
    const agents = texts(gateway, "agents", "must be an agent's name");
    if (digest.ok) gateways.set(name, { tokenSha256: digest.value, agents });
  }
  return gateways;
}

function readAgents(place: Place): ReadonlyMap<string, AgentSection> {
  const agents = new Map<string, AgentSection>();
  for (const name of Object.keys(place.object)) {
    const agent = section(place, name);
    if (agent === null) continue;
    const entries = (list(agent, "allowlist") ?? []).map((entry, index) => readEntry(entry, agent, index));
    agents.set(name, { ...readPolicy(agent), path: agent.path, allowlist: entries.filter((entry) => entry !== null) });
  }
  return agents;
}

function readPolicy(place: Place): PolicyFields {
  return {
    security: choice(place, "security", SECURITIES),
    ask: choice(place, "ask", ASKS),
    askFallback: choice(place, "askFallback", ASK_FALLBACKS),
    autoAllowSkills: flag(place, "autoAllowSkills"),
  };
}

function corrupt(faults: readonly Fault[]): Result<never, Denial> {
  const first = faults[0] ?? { path: "", message: "is broken" };
  const where = first.path === "" ? "the document" : `\`${first.path}\``;
  const problems = faults.map((each) => ({ path: each.path, message: each.message }));
  return fail(
    denial("state.corrupt", `${where} in exec-approvals.json ${first.message}; \`countersign doctor\` shows all of it`, { problems }),
  );
}
