/**
 * The daemons the corpus is played against. Cases that need no daemon of their own share one: each policy of the corpus is an agent there,
 * and each case has its own ground and, where nothing else is asked for, an agent that nobody else is.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/daemon.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { attachOperator, openSession, type Session } from "../support/session.ts";
import { tryStart } from "../support/try-start.ts";
import { type Attack, object, text } from "./attack.ts";
import { type Ground, groundAt } from "./ground.ts";
import { filled, filledText } from "./placeholders.ts";

export interface Scene {
  readonly daemon: TestDaemon;
  readonly gateway: Session;
  readonly operator: Session;
  /** Closes the sessions; the daemon lives on. */
  leave(): void;
}

export interface Stage {
  ground(attack: Attack): Ground;
  /** The daemon that most cases share, and the agent under whose policy this one is played. */
  shared(): Promise<Scene>;
  agentOf(attack: Attack): string;
  /** What the daemon said when it would not start with this case's policy: nothing is ever run under it. */
  refusalOf(attack: Attack): string | null;
  /** The daemon on which everything is tried that could disturb others; nobody is there to answer its questions. */
  abused(): Promise<Scene>;
  /** A daemon of its own, in a state directory of its own; a second start of the same case finds what the first one left. */
  own(attack: Attack, options?: OwnOptions): Promise<Scene>;
  stateDirOf(attack: Attack): string;
  close(): Promise<void>;
}

export interface OwnOptions extends Omit<TestDaemonOptions, "stateDir"> {
  /** Whether an operator is there to answer. */
  readonly attended?: boolean;
}

export function createStage(attacks: readonly Attack[]): Stage {
  const scratch = scratchDirectory();
  const mainDir = join(scratch.path, "main", "state");
  const cast = castOf(attacks, (attack) => ({ ...groundOf(attack).names, STATE: mainDir }));
  const refused = new Map<string, string>();
  const daemons: TestDaemon[] = [];
  let main: Promise<Scene> | null = null;
  let abused: Promise<Scene> | null = null;
  let lent: Session | null = null;

  function groundOf(attack: Attack): Ground {
    return groundAt(join(scratch.path, attack.id));
  }

  async function start(stateDir: string, { attended = true, ...options }: OwnOptions): Promise<Scene> {
    mkdirSync(join(stateDir, ".."), { recursive: true });
    const daemon = await startTestDaemon({ ...options, stateDir });
    daemons.push(daemon);
    return sceneOf(daemon, attended);
  }

  /** A policy that the daemon will not have is left out, and kept in mind; each start names the first of those that are left. */
  async function startMain(): Promise<Scene> {
    mkdirSync(join(mainDir, ".."), { recursive: true });
    for (;;) {
      const rows = cast.rows.filter(({ id }) => !refused.has(id));
      const begun = await tryStart({ stateDir: mainDir, document: documentOf(rows), settings: settingsOf(rows) });
      if ("running" in begun) {
        daemons.push(begun.running);
        return sceneOf(begun.running, true);
      }
      const [, index, name] = /agents\.list\[(\d+)\]|(policy-\d+)/.exec(begun.log) ?? [];
      const id = name ?? rows[Number(index ?? Number.NaN)]?.id;
      if (begun.exitCode !== 78 || id === undefined) throw new Error(`the daemon ended with ${begun.exitCode}: ${begun.log}`);
      refused.set(id, begun.log);
    }
  }

  return {
    ground: groundOf,
    refusalOf: (attack) => refused.get(cast.agents.get(attack.id) ?? "") ?? null,
    shared: async () => {
      main ??= startMain();
      const scene = await main;
      // A gateway of its own for each case: one that says something unreadable loses its connection.
      lent?.close();
      lent = await openSession(scene.daemon, "gateway");
      return { ...scene, gateway: lent };
    },
    abused: () => {
      abused ??= start(join(scratch.path, "abused", "state"), { attended: false });
      return abused;
    },
    agentOf: (attack) => cast.agents.get(attack.id) ?? `case-${attack.id}`,
    stateDirOf: (attack) => join(scratch.path, attack.id, "state"),
    own: (attack, options = {}) => start(join(scratch.path, attack.id, "state"), options),
    close: async () => {
      await Promise.all(daemons.map((daemon) => daemon.stop()));
      scratch.remove();
    },
  };
}

export async function sceneOf(daemon: TestDaemon, attended: boolean): Promise<Scene> {
  const operator = attended ? await attachOperator(daemon) : await openSession(daemon, "operator");
  const gateway = await openSession(daemon, "gateway");
  const leave = (): void => {
    gateway.close();
    operator.close();
  };
  return { daemon, gateway, operator, leave };
}

/** One agent per policy, because policies are what agents have. */
interface Cast {
  readonly rows: readonly Row[];
  readonly agents: ReadonlyMap<string, string>;
}

interface Row {
  readonly id: string;
  readonly policy: JsonObject;
}

const IN_DOCUMENT = new Set(["security", "ask", "askFallback", "allowlist", "autoAllowSkills"]);
const IN_SETTINGS = new Set(["safeBins", "safeBinTrustedDirs", "safeBinProfiles", "strictInlineEval", "unanalysable", "unbound", "path"]);
/** A list of what is forbidden has nothing to do where only what is listed is allowed: leaving it out is the harder case. */
const WITHOUT_MEANING = new Set(["deny"]);

function castOf(attacks: readonly Attack[], names: (attack: Attack) => Readonly<Record<string, string>>): Cast {
  const policies = new Map<string, Row>();
  const agents = new Map<string, string>();
  for (const attack of attacks) {
    if (attack.given["policy"] === undefined) continue;
    const path = attack.given["path"] === undefined ? {} : { path: filledText(text(attack.given["path"]), names(attack)).split(":") };
    const policy = { ...filled(object(attack.given["policy"]), names(attack)), ...path };
    const key = JSON.stringify(policy);
    const known = policies.get(key) ?? { id: `policy-${policies.size}`, policy };
    policies.set(key, known);
    agents.set(attack.id, known.id);
  }
  return { agents, rows: [...policies.values()] };
}

function documentOf(rows: readonly Row[]): JsonObject {
  return { version: 1, agents: Object.fromEntries(rows.map(({ id, policy }) => [id, part(policy, IN_DOCUMENT)])) };
}

function settingsOf(rows: readonly Row[]): JsonObject {
  return { agents: { list: rows.map(({ id, policy }) => ({ id, tools: { exec: part(policy, IN_SETTINGS) } })) } };
}

function part(policy: JsonObject, names: ReadonlySet<string>): JsonObject {
  for (const name of Object.keys(policy)) {
    if (!IN_DOCUMENT.has(name) && !IN_SETTINGS.has(name) && !WITHOUT_MEANING.has(name))
      throw new Error(`nothing here knows the policy \`${name}\``);
  }
  return Object.fromEntries(
    Object.entries(policy).filter((entry): entry is [string, JsonValue] => names.has(entry[0]) && entry[1] !== undefined),
  );
}
