/** What holds for every policy, not for the ones we thought of. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { CORE_TOOLS, GROUPS, SUBAGENT_DENIED } from "../../src/tools/catalog.ts";
import { PROFILE_NAMES } from "../../src/tools/tool-config.ts";
import { load, outcome, passing, type Question } from "./asking.ts";

const PLUGINS = { lobster: { tools: ["lobster", "boil"] } };
const name = fc.constantFrom(
  ...CORE_TOOLS,
  ...GROUPS.keys(),
  "bash",
  "apply-patch",
  "group:plugins",
  "lobster",
  "boil",
  "slack",
  "wat",
  "*",
  "web_*",
  "*_send",
  "s*s_*",
);
const names = fc.uniqueArray(name, { maxLength: 5 });
const lists = fc.record({ allow: names, alsoAllow: names, deny: names }, { requiredKeys: [] });
/** Narrowing alone: what a layer may be made of that comes after the place to start from. */
const narrowing = fc.record({ allow: names, deny: names }, { requiredKeys: [] });
const profile = fc.constantFrom(...PROFILE_NAMES);

const tools = fc.record(
  {
    profile,
    allow: names,
    alsoAllow: names,
    deny: names,
    denyByDefault: fc.boolean(),
    exec: fc.constant({}),
    fs: fc.constant({}),
    byProvider: fc.dictionary(fc.constantFrom("openai", "openai/gpt", "other"), fc.oneof(lists, fc.record({ profile }))),
    sandbox: fc.record({ tools: lists }),
    subagents: fc.record({ tools: lists }),
  },
  { requiredKeys: [] },
);

const config = fc
  .record({
    tools,
    agent: tools,
    channel: narrowing,
    maxSpawnDepth: fc.integer({ min: 0, max: 4 }),
    workspaceAccess: fc.constantFrom("none", "ro", "rw"),
  })
  .map(({ tools, agent, channel, maxSpawnDepth, workspaceAccess }) => ({
    tools,
    agents: { defaults: { subagents: { maxSpawnDepth } }, main: { tools: agent } },
    channels: { discord: { tools: channel } },
    sandboxing: { workspaceAccess },
    plugins: PLUGINS,
  }));

const question: fc.Arbitrary<Question> = fc
  .record({
    senderIsOwner: fc.boolean(),
    sandboxed: fc.boolean(),
    subagentDepth: fc.integer({ min: 0, max: 5 }),
    provider: fc.constantFrom("openai", "other", "none"),
    model: fc.constantFrom("gpt", "mini"),
    channel: fc.constantFrom("discord", "slack"),
  })
  .map((context) => ({ context }));

function tellNew(before: readonly string[], after: readonly string[]): readonly string[] {
  return after.filter((tool) => !before.includes(tool));
}

/** Each takes a policy and a layer, and puts the layer where the policy has none of its kind. */
const ADDED_LAYERS: Readonly<Record<string, (base: JsonObject, layer: JsonObject) => JsonObject>> = {
  global: (base, layer) => ({ ...base, tools: { ...part(base["tools"]), ...layer } }),
  provider: (base, layer) => ({ ...base, tools: { ...part(base["tools"]), byProvider: { openai: layer, other: layer } } }),
  "providers.*": (base, layer) => ({ ...base, providers: { openai: { tools: layer } } }),
  agent: (base, layer) => ({ ...base, agents: { main: { tools: layer } } }),
  "agent-provider": (base, layer) => ({ ...base, agents: { main: { tools: { byProvider: { openai: layer } } } } }),
  group: (base, layer) => ({ ...base, channels: { discord: { tools: layer } } }),
  "deny by default": (base) => ({ ...base, tools: { ...part(base["tools"]), denyByDefault: true } }),
  "read-only workspace": (base) => ({ ...base, sandboxing: { workspaceAccess: "ro" } }),
};

function part(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

describe("for every policy", () => {
  test.each(Object.keys(ADDED_LAYERS))("adding a layer never adds a tool: %s", (kind) => {
    const start = fc
      .record({ tools: fc.record({ profile, exec: fc.constant({}) }, { requiredKeys: [] }) })
      .map((base) => ({ ...base, plugins: PLUGINS }));
    fc.assert(
      fc.property(start, narrowing, question, (base, layer, asked) => {
        const added = ADDED_LAYERS[kind]?.(base, layer) ?? base;
        // The one exception is the operator's: an agent's `allow` that spells out a tool of the always-list gives it back to subagents.
        const lifted = kind === "agent" ? SUBAGENT_DENIED.filter((tool) => layer.allow?.includes(tool)) : [];
        const before = load(base);
        const gained = passing(load(added), asked).filter((tool) => outcome(before, tool, asked) !== "allow");
        expect(gained.filter((tool) => !lifted.includes(tool))).toEqual([]);
      }),
    );
  });

  test("being sandboxed or not an owner never adds a tool", () => {
    fc.assert(
      fc.property(config, question, (written, { context }) => {
        const settings = load(written);
        const free = passing(settings, { context: { ...context, sandboxed: false, senderIsOwner: true } });
        expect(tellNew(free, passing(settings, { context: { ...context, sandboxed: true } }))).toEqual([]);
        expect(tellNew(free, passing(settings, { context: { ...context, sandboxed: false, senderIsOwner: false } }))).toEqual([]);
      }),
    );
  });

  test("a subagent never has a tool that its parent lacks, at any depth", () => {
    fc.assert(
      fc.property(config, question, (written, { context }) => {
        const settings = load(written);
        const at = (subagentDepth: number) => passing(settings, { context: { ...context, subagentDepth } });
        for (const depth of [0, 1, 2, 3, 4]) expect(tellNew(at(depth), at(depth + 1))).toEqual([]);
      }),
    );
  });

  const DENYING: readonly ((tool: string) => JsonObject)[] = [
    (tool) => ({ tools: { deny: [tool] } }),
    (tool) => ({ tools: { byProvider: { openai: { deny: [tool] } } } }),
    (tool) => ({ agents: { main: { tools: { deny: [tool] } } } }),
    (tool) => ({ agents: { main: { tools: { byProvider: { "openai/gpt": { deny: [tool] } } } } } }),
    (tool) => ({ channels: { discord: { tools: { deny: [tool] } } } }),
    (tool) => ({ tools: { sandbox: { tools: { deny: [tool] } } } }),
    (tool) => ({ tools: { subagents: { tools: { deny: [tool] } } } }),
  ];

  test("a deny wins over every allow, wherever the two stand", () => {
    const context = { senderIsOwner: true, sandboxed: true, subagentDepth: 1, provider: "openai", model: "gpt", channel: "discord" };
    fc.assert(
      fc.property(fc.constantFrom(...CORE_TOOLS), fc.constantFrom(...DENYING), (tool, denying) => {
        const everything = { allow: ["*", tool], alsoAllow: [tool] };
        const generous = {
          tools: {
            ...everything,
            exec: {},
            fs: {},
            byProvider: { openai: everything, "openai/gpt": everything },
            sandbox: { tools: { ...everything, deny: [] } },
            subagents: { tools: everything },
          },
          agents: { main: { tools: { ...everything, byProvider: { "openai/gpt": everything } } } },
          channels: { discord: { tools: everything } },
        };
        expect(outcome(load(merged(generous, denying(tool))), tool, { context })).not.toBe("allow");
      }),
    );
  });

  test("the list and the single question never disagree", () => {
    fc.assert(
      fc.property(config, question, fc.constantFrom(...CORE_TOOLS, "boil"), (written, asked, tool) => {
        const settings = load(written);
        expect(outcome(settings, tool, asked) === "allow").toBe(passing(settings, asked).includes(tool));
      }),
    );
  });

  test("any name and any claim gets an answer", () => {
    const settings = load({ tools: { profile: "coding", deny: ["web_*"] } });
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), fc.string(), (tool, provider, sessionKey) => {
        const found = outcome(settings, tool, { sessionKey, context: { provider, model: provider } });
        expect(["allow", "profile", "global", "name", "subagent"]).toContain(found);
      }),
    );
  });
});

function merged(into: JsonObject, from: JsonObject): JsonObject {
  const result: Record<string, JsonObject[string]> = { ...into };
  for (const [key, value] of Object.entries(from)) {
    const there = result[key];
    const bothObjects = isPlain(there) && isPlain(value);
    result[key] = bothObjects ? merged(there, value) : value;
  }
  return result;
}

function isPlain(value: JsonObject[string]): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
