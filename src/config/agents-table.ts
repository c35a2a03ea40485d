import { isAgentId } from "../core/ids.ts";
import { SPAWN_DEPTH_DEFAULT, SPAWN_DEPTH_MAX } from "../core/limits.ts";
import { PROFILE_NAMES } from "../tools/tool-config.ts";
import { execSection } from "./exec-table.ts";
import type { Problem } from "./problem.ts";
import { type Read, readRows, section, sectionSchema } from "./section.ts";
import { choice, complain, flag, foreign, isAbsent, list, located, type Shape, text, usual, type ValueOf, whole } from "./shape.ts";
import { elevatedMode, sandboxSection, toolsSection } from "./tools-table.ts";

/** `agents`, in both spellings: `agents.list[]` with an `id` in each, and `agents.<id>`. */

const subagents = section("Agents that this one spawns.", {
  maxSpawnDepth: usual(whole("From this depth on an agent spawns no other.", 0, SPAWN_DEPTH_MAX), SPAWN_DEPTH_DEFAULT),
});
const workspace = text("Where the agent's files lie; `{sessionKey}` stands for the session.", (path) =>
  /^~?\//.test(path) ? null : "must start with `/` or `~/`",
);

const AGENT_ROWS = {
  name: text("What people call it."),
  default: flag("The agent that answers where no binding names one."),
  workspace,
  agentDir: text("Where the gateway keeps the agent's own state."),
  profile: choice("The same as `profile` in its `tools`.", PROFILE_NAMES),
  tools: toolsSection,
  exec: execSection,
  sandbox: sandboxSection,
  subagents,
  model: foreign("The model it speaks to."),
};
const NOT_AN_ID = "must be 1 to 128 of `A-Za-z0-9._:@-` and start with a letter or digit";
const id = text("The name under which it asks: `main`.", (name) => (isAgentId(name) ? null : NOT_AN_ID));

const namedAgent = located(section("One agent.", AGENT_ROWS));
const NAMED_ROWS = {
  defaults: section("What holds for agents that say nothing themselves.", {
    workspace,
    sandbox: sandboxSection,
    subagents,
    elevatedDefault: elevatedMode,
  }),
  list: list("The agents, each with its `id`.", located(section("One agent.", { id, ...AGENT_ROWS }, ["id"]))),
};

export interface WrittenAgent {
  readonly id: string;
  /** `agents.list[0]` or `agents.main`. */
  readonly path: string;
  readonly at: number;
  readonly section: Read<typeof AGENT_ROWS>;
}

export interface AgentsSection {
  readonly defaults: ValueOf<typeof NAMED_ROWS.defaults>;
  readonly agents: readonly WrittenAgent[];
}

export const agentsSection: Shape<AgentsSection> = {
  schema: { ...sectionSchema("The agents, in a list or by name.", NAMED_ROWS), additionalProperties: namedAgent.schema },
  read(tree, path, problems) {
    if (isAbsent(tree)) return undefined;
    if (tree.kind !== "object") return complain(problems, path, tree.at, "must be an object");
    const agents: WrittenAgent[] = [];
    const read = readRows(tree, NAMED_ROWS, path, problems, ({ key, keyAt, value }, here) => {
      if (!isAgentId(key)) complain(problems, here, keyAt, NOT_AN_ID);
      const agent = namedAgent.read(value, here, problems);
      if (agent !== undefined) agents.push({ id: key, path: here, at: keyAt, section: agent.value });
    });
    for (const { path: here, at, value } of read.list ?? []) {
      if (value.id !== undefined) agents.push({ id: value.id, path: here, at, section: value });
    }
    refuseRepeated(agents, problems);
    return { defaults: read.defaults ?? {}, agents };
  },
};

/** Two sections for one agent could say opposite things, and which of them holds would be a guess. */
function refuseRepeated(agents: readonly WrittenAgent[], problems: Problem[]): void {
  const first = new Map<string, string>();
  for (const agent of agents.toSorted((a, b) => a.at - b.at)) {
    const earlier = first.get(agent.id);
    if (earlier === undefined) first.set(agent.id, agent.path);
    else complain(problems, agent.path, agent.at, `describes agent \`${agent.id}\` again, after \`${earlier}\`; keep one`);
  }
}
