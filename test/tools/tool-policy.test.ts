import { describe, expect, test } from "vitest";
import { POLICY_WARNINGS_MAX } from "../../src/core/limits.ts";
import { SUBAGENT_DENIED } from "../../src/tools/catalog.ts";
import { LAYERS } from "../../src/tools/layer.ts";
import { toolDenial } from "../../src/tools/tool-policy.ts";
import { agentId, ask, load, outcome, passing } from "./asking.ts";
import { toolMachine } from "./table-machine.ts";

describe("the layers", () => {
  const everyLayer = load({
    tools: {
      profile: "coding",
      alsoAllow: ["canvas", "tts", "message", "browser", "nodes", "gateway"],
      deny: ["canvas"],
      byProvider: { openai: { profile: "coding", alsoAllow: ["tts", "message", "nodes", "gateway"], deny: ["tts"] } },
      sandbox: { tools: { allow: ["*"], deny: ["read"] } },
      subagents: { tools: { deny: ["exec"] } },
      web_fetch: { enabled: false },
    },
    agents: { list: [{ id: "a", tools: { deny: ["message"], byProvider: { "openai/x": { deny: ["image"] } } } }] },
    channels: {
      discord: {
        tools: { deny: ["process"] },
        groups: { "42": { tools: { deny: ["cron"] } }, "*": { tools: { deny: ["image_generate"] } } },
      },
    },
    sandboxing: { workspaceAccess: "ro" },
  });
  const question = {
    agent: "a",
    sessionKey: "agent:a:discord:group:42",
    context: { provider: "OpenAI", model: "x", sandboxed: true, subagentDepth: 1 },
  };

  test.each([
    ["agents_list", "profile"],
    ["browser", "provider-profile"],
    ["canvas", "provider-profile"],
    ["tts", "provider"],
    ["message", "agent"],
    ["image", "agent-provider"],
    ["process", "group"],
    ["cron", "group"],
    ["image_generate", "group"],
    ["read", "sandbox"],
    ["write", "workspace"],
    ["apply_patch", "workspace"],
    ["exec", "subagent"],
    ["gateway", "subagent"],
    ["sessions_spawn", "subagent"],
    ["web_fetch", "arguments"],
    ["web_search", "allow"],
    ["ex\u200bec", "name"],
    ["", "name"],
  ])("%j is decided by %s", (tool, layer) => {
    expect(outcome(everyLayer, tool, question)).toBe(layer);
  });

  test("without their provider, channel, sandbox or depth they have nothing to say", () => {
    for (const tool of ["tts", "image", "process", "cron", "read", "write", "exec", "gateway"])
      expect(outcome(everyLayer, tool, { agent: "a" })).toBe("allow");
    expect(outcome(everyLayer, "canvas", { agent: "a" })).toBe("global");
    expect(outcome(everyLayer, "message", { agent: "b" })).toBe("allow");
  });

  test("an owner-only tool is denied to whoever is not said to be an owner, right after the profile", () => {
    for (const context of [{ senderIsOwner: false }, {}]) {
      const verdict = everyLayer.tools.evaluate({ tool: "nodes", agentId: agentId("a"), context }, toolMachine());
      expect(verdict.layers.map(({ layer, verdict }) => `${layer} ${verdict}`)).toEqual(["profile allow", "owner-only deny"]);
    }
    expect(outcome(everyLayer, "nodes", { agent: "a", context: { senderIsOwner: true } })).toBe("allow");
  });

  test("speak in order, each once per list, and the first no is the last word", () => {
    const { layers } = ask(everyLayer, "exec", question);
    const places = layers.map(({ layer }) => LAYERS.indexOf(layer));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(layers.filter(({ verdict }) => verdict === "deny")).toHaveLength(1);
    expect(layers.at(-1)?.verdict).toBe("deny");
  });

  test("every answer names its source, with the place in the file, and its rule", () => {
    expect(ask(everyLayer, "message", question).layers).toEqual([
      { layer: "profile", source: "global tools.alsoAllow", verdict: "allow", rule: "message" },
      { layer: "provider-profile", source: 'global tools.byProvider["openai"].alsoAllow', verdict: "allow", rule: "message" },
      { layer: "agent", source: "agent agents.list[0].tools.deny[0]", verdict: "deny", rule: "message" },
    ]);
    const verdict = ask(everyLayer, "message", question);
    expect(verdict).toMatchObject({
      allowed: false,
      code: "policy.tool-denied",
      reason: "`message` is denied by the agent layer (agent agents.list[0].tools.deny[0]: message); an operator can change it",
    });
    expect(toolDenial(verdict)).toMatchObject({ code: "policy.tool-denied", details: { layer: "agent" } });
    expect(ask(load({}), "read")).toEqual({
      allowed: true,
      code: null,
      reason: "every layer lets `read` pass",
      layers: [{ layer: "profile", source: "default", verdict: "allow", rule: "full" }],
    });
  });
});

describe("lists", () => {
  test.each([
    [{ allow: ["group:fs"] }, "edit", "allow"],
    [{ allow: ["GROUP:FS"] }, "Edit", "allow"],
    [{ allow: ["group:openclaw"] }, "nodes", "allow"],
    [{ allow: ["group:openclaw"] }, "slack", "global"],
    [{ allow: ["exec"] }, "apply_patch", "allow"],
    [{ allow: ["exec"], deny: ["apply_patch"] }, "apply_patch", "global"],
    [{ allow: ["exec"], deny: ["apply-patch"] }, "apply_patch", "global"],
    [{ allow: ["bash"] }, "exec", "allow"],
    [{ deny: ["Bash"] }, " EXEC ", "global"],
    [{ allow: ["*"], deny: ["*"] }, "read", "global"],
    [{ allow: ["wat", "huh"] }, "read", "global"],
    [{ allow: [] }, "read", "allow"],
    [{ denyByDefault: true }, "read", "global"],
    [{ denyByDefault: true, allow: [] }, "read", "global"],
    [{ denyByDefault: true, allow: ["read"] }, "read", "allow"],
    [{ denyByDefault: true, alsoAllow: ["read"] }, "read", "allow"],
    [{ denyByDefault: true, alsoAllow: ["read"] }, "write", "global"],
    [{ allow: ["read"], alsoAllow: ["write"] }, "write", "allow"],
    [{ profile: "minimal", exec: {} }, "exec", "allow"],
    [{ profile: "minimal", exec: {} }, "apply_patch", "allow"],
    [{ profile: "minimal", fs: {} }, "edit", "allow"],
    [{ profile: "minimal", fs: {} }, "apply_patch", "profile"],
    [{ profile: "minimal", exec: {}, deny: ["exec"] }, "exec", "global"],
  ])("%j and %s: %s", (tools, tool, expected) => {
    expect(outcome(load({ tools }), tool)).toBe(expected);
  });

  test("deny by default reaches lists that are written empty anywhere, and an agent may ask for it alone", () => {
    const tools = { denyByDefault: true, allow: ["read", "exec"] };
    expect(outcome(load({ tools, agents: { a: { tools: { deny: ["exec"] } } } }), "read", { agent: "a" })).toBe("allow");
    expect(outcome(load({ tools, agents: { a: { tools: { allow: [] } } } }), "read", { agent: "a" })).toBe("agent");
    expect(outcome(load({ agents: { a: { tools: { denyByDefault: true } } } }), "read", { agent: "a" })).toBe("agent");
    expect(outcome(load({ tools: { ...tools, sandbox: { tools: { allow: [] } } } }), "read", { context: { sandboxed: true } })).toBe(
      "sandbox",
    );
  });

  test("both spellings of agents and of providers say the same", () => {
    for (const config of [
      { agents: { list: [{ id: "a", tools: { deny: ["exec"] } }] } },
      { agents: { a: { tools: { deny: ["exec"] } } } },
      { tools: { byProvider: { openai: { deny: ["exec"] } } } },
      { providers: { openai: { tools: { deny: ["exec"] } } } },
      { providers: [{ id: "OpenAI", tools: { deny: ["exec"] } }] },
    ]) {
      expect(outcome(load(config), "exec", { agent: "a", context: { provider: "openai" } })).toMatch(/^(agent|provider)$/);
    }
    expect(outcome(load({ agents: { a: { profile: "minimal" } } }), "exec", { agent: "a" })).toBe("profile");
  });

  test("a provider's and its model's lists both hold, and a model may carry its provider's name", () => {
    const settings = load({ tools: { byProvider: { openai: { deny: ["exec"] }, "openai/gpt-5.2": { deny: ["read"] } } } });
    for (const context of [
      { provider: "openai", model: "gpt-5.2" },
      { provider: "openai", model: "openai/gpt-5.2" },
      { model: "openai/gpt-5.2" },
    ]) {
      expect(outcome(settings, "exec", { context })).toBe("provider");
      expect(outcome(settings, "read", { context })).toBe("provider");
    }
    expect(outcome(settings, "read", { context: { provider: "openai", model: "gpt-4" } })).toBe("allow");
  });

  test("of a provider's and a model's profile the more particular one is chosen", () => {
    const settings = load({ tools: { byProvider: { openai: { profile: "minimal" }, "openai/big": { profile: "coding" } } } });
    expect(outcome(settings, "exec", { context: { provider: "openai", model: "big" } })).toBe("allow");
    expect(outcome(settings, "exec", { context: { provider: "openai", model: "small" } })).toBe("provider-profile");
  });
});

describe("a plugin-only allow", () => {
  const plugins = { lobster: { tools: ["lobster", "boil"] } };
  test.each([
    [["lobster"], "read", "allow"],
    [["boil"], "read", "allow"],
    [["group:plugins"], "read", "allow"],
    [["boil", "read"], "exec", "global"],
    [["boil", "wat"], "read", "global"],
    [["boil*"], "read", "global"],
    [["*"], "read", "allow"],
  ])("%j leaves %s: %s", (allow, tool, expected) => {
    expect(outcome(load({ tools: { allow }, plugins }), tool)).toBe(expected);
  });

  test("is not forgiven in a sandbox, where no filter would mean no sandbox", () => {
    expect(outcome(load({ tools: { sandbox: { tools: { allow: ["boil"] } } }, plugins }), "read", { context: { sandboxed: true } })).toBe(
      "sandbox",
    );
  });
});

describe("a sandbox", () => {
  const inside = (config: Parameters<typeof load>[0], tool: string) => outcome(load(config), tool, { context: { sandboxed: true } });

  test("takes each list from the agent, else from all agents, else from the defaults", () => {
    const config = {
      tools: { sandbox: { tools: { deny: ["exec"] } } },
      agents: { main: { tools: { sandbox: { tools: { allow: ["read", "exec", "browser"] } } } } },
    };
    expect(inside(config, "read")).toBe("allow");
    expect(inside(config, "exec")).toBe("sandbox");
    expect(inside(config, "browser")).toBe("allow");
    expect(inside(config, "process")).toBe("sandbox");
    expect(ask(load(config), "exec", { context: { sandboxed: true } }).layers.at(-1)?.source).toBe("global tools.sandbox.tools.deny");
    expect(ask(load({}), "browser", { context: { sandboxed: true } }).layers.at(-1)?.source).toBe("default");
  });

  test("adds what its agent's `sandbox.alsoAllow` names, but nothing that is denied there", () => {
    const config = { agents: { main: { sandbox: { alsoAllow: ["web_search", "browser"] } } } };
    expect(inside(config, "web_search")).toBe("allow");
    expect(inside(config, "browser")).toBe("sandbox");
    expect(inside(config, "exec")).toBe("allow");
  });

  test("keeps `image` beside a list of its own, unless it is denied", () => {
    expect(inside({ tools: { sandbox: { tools: { allow: ["read"] } } } }, "image")).toBe("allow");
    expect(inside({ tools: { sandbox: { tools: { allow: ["read"], deny: ["image"] } } } }, "image")).toBe("sandbox");
  });

  test("is where the settings put a session about which the gateway says nothing", () => {
    const settings = load({ sandboxing: { mode: "non-main" }, session: { mainKey: "home" } });
    const at = (sessionKey: string) => settings.tools.isSandboxed({ agentId: agentId("main"), sessionKey, context: {} });
    expect([at("home"), at("agent:main:home"), at("main"), at("")]).toEqual([false, false, true, true]);
    expect(settings.tools.isSandboxed({ agentId: agentId("main"), sessionKey: "x", context: { sandboxed: false } })).toBe(false);
  });
});

describe("a subagent", () => {
  const at = (subagentDepth: number) => ({ context: { subagentDepth } });

  test("spawns no other unless the operator says how deep", () => {
    expect(outcome(load({}), "sessions_spawn", at(1))).toBe("subagent");
    expect(outcome(load({ agents: { defaults: { subagents: { maxSpawnDepth: 2 } } } }), "sessions_spawn", at(1))).toBe("allow");
    expect(
      outcome(
        load({ agents: { defaults: { subagents: { maxSpawnDepth: 2 } }, main: { subagents: { maxSpawnDepth: 1 } } } }),
        "sessions_spawn",
        at(1),
      ),
    ).toBe("subagent");
  });

  test.each([
    [{ agents: { main: { tools: { allow: ["memory_get", "read"] } } } }, "allow"],
    [{ agents: { main: { tools: { allow: ["group:memory"] } } } }, "subagent"],
    [{ agents: { main: { tools: { allow: ["*"] } } } }, "subagent"],
    [{ agents: { main: { tools: { alsoAllow: ["memory_get"] } } } }, "subagent"],
    [{ tools: { allow: ["memory_get"] } }, "subagent"],
    [{ tools: { subagents: { tools: { alsoAllow: ["memory_get"] } } } }, "allow"],
    [{ tools: { subagents: { tools: { allow: ["memory_get"] } } } }, "allow"],
    [{ tools: { subagents: { tools: { alsoAllow: ["memory_get"], deny: ["memory_*"] } } } }, "subagent"],
  ])("gets `memory_get` back only where it is spelt out: %j", (config, expected) => {
    expect(outcome(load(config), "memory_get", at(1))).toBe(expected);
  });

  test("gets any tool of the always-list back that way, and only that one", () => {
    for (const tool of SUBAGENT_DENIED) {
      const settings = load({ tools: { subagents: { tools: { alsoAllow: [tool] } } } });
      const back = SUBAGENT_DENIED.filter((each) => outcome(settings, each, at(1)) === "allow");
      expect(back).toEqual([tool]);
    }
  });

  test("never gets the leaf-list back", () => {
    const config = {
      tools: { subagents: { tools: { alsoAllow: ["sessions_spawn"] } } },
      agents: { main: { tools: { allow: ["sessions_spawn"] } } },
    };
    expect(outcome(load(config), "sessions_spawn", at(1))).toBe("subagent");
  });

  test("is known by its session's key, whatever the gateway leaves out", () => {
    expect(outcome(load({}), "memory_get", { sessionKey: "agent:main:subagent:7f3c" })).toBe("subagent");
    expect(outcome(load({}), "memory_get", { sessionKey: "agent:main:main" })).toBe("allow");
  });
});

describe("warnings", () => {
  test("name misspelt tools, with a guess", () => {
    expect(load({ tools: { deny: ["exce"] } }).warnings).toEqual([
      "`tools.deny` names `exce`, which no built-in tool, plugin or channel is called; did you mean `exec`?",
    ]);
    expect(load({ tools: { allow: ["wat", "huh"] } }).warnings).toEqual([
      "`tools.allow` names `wat`, `huh`, which no built-in tool, plugin or channel is called; it lets nothing else pass, which is a mistake",
    ]);
    expect(load({ tools: { allow: ["read", "slack", "group:fs", "web_*", "*"] } }).warnings).toEqual([]);
  });

  test("are at most 256, each said once", () => {
    const agents = Array.from({ length: POLICY_WARNINGS_MAX + 44 }, (_, index) => ({ id: `a${index}`, tools: { deny: ["wat"] } }));
    const { warnings } = load({ agents: { list: agents } });
    expect(warnings).toHaveLength(POLICY_WARNINGS_MAX);
    expect(new Set(warnings).size).toBe(POLICY_WARNINGS_MAX);
  });
});

test("the list of tools holds plugins' tools and whatever the policy names, and says who decided", () => {
  const settings = load({ tools: { alsoAllow: ["my-mcp-tool"], deny: ["boil"] }, plugins: { lobster: { tools: ["Boil", "steam"] } } });
  const listed = settings.tools.list({ agentId: agentId("main"), context: {} });
  expect(listed.find(({ tool }) => tool === "boil")).toEqual({
    tool: "boil",
    allowed: false,
    decidedBy: { layer: "global", source: "global tools.deny[0]", verdict: "deny", rule: "boil" },
  });
  expect(passing(settings)).toContain("steam");
  expect(passing(settings)).toContain("my-mcp-tool");
});
