/** Every example policy that ships: it loads, and lets pass what the text it came with says it does. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../src/config/settings.ts";
import { PROFILES } from "../../src/tools/catalog.ts";
import { agentId, load, outcome, passing, type Question } from "../tools/asking.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/policies/examples");

function example(name: string): Settings {
  return load(readFileSync(join(FOLDER, `${name}.json5`), "utf8"));
}

type Claim = readonly [tool: string, outcome: string, question?: Question];
const WRITING = ["write", "edit", "apply_patch"] as const;

function denied(tools: readonly string[], layer: string, question: Question = {}): readonly Claim[] {
  return tools.map((tool) => [tool, layer, question]);
}

function allowed(tools: readonly string[], question: Question = {}): readonly Claim[] {
  return denied(tools, "allow", question);
}

const sandboxed = (agent: string): Question => ({ agent, context: { sandboxed: true } });

const CLAIMS: Readonly<Record<string, readonly Claim[]>> = {
  "personal-and-family": [
    ...allowed(["exec", "browser", "anything-at-all"], { agent: "main" }),
    ...allowed(["read"], sandboxed("family")),
    ...denied(["exec", ...WRITING, "process", "browser", "web_search"], "agent", sandboxed("family")),
  ],
  "work-in-a-shared-sandbox": [
    ...allowed(["read", "write", "apply_patch", "exec"], sandboxed("work")),
    ...denied(["browser", "gateway", "discord", "edit"], "agent", sandboxed("work")),
    ...allowed(["browser"], { agent: "personal" }),
  ],
  "sandbox-mode-per-agent": [
    ...allowed(["exec"], { agent: "main" }),
    ...allowed(["read"], sandboxed("public")),
    ...denied(["exec", ...WRITING], "agent", sandboxed("public")),
  ],
  "before-several-agents": [
    ...allowed(["read", "write", "apply_patch", "exec"], sandboxed("main")),
    ...denied(["process", "edit", "browser"], "sandbox", sandboxed("main")),
  ],
  "after-several-agents": [...allowed(["exec", "browser"])],
  "read-only": [...allowed(["read"]), ...denied(["exec", ...WRITING, "process", "browser"], "global")],
  "execute-without-writing": [...allowed(["read", "exec", "process"]), ...denied([...WRITING, "browser", "gateway"], "global")],
  "talk-only": [
    ...allowed(["sessions_list", "sessions_send", "sessions_history", "session_status"]),
    ...denied(["exec", ...WRITING, "read", "browser", "message"], "global"),
  ],
  "deny-a-group": [...denied(["exec", "bash", "process"], "global"), ...allowed(["read"])],
  "global-lists": [...allowed(["read", "exec", "sessions_list", "READ"]), ...denied(["browser", "canvas", "gateway", "write"], "global")],
  "per-agent-lists": [
    ...allowed(["read"], { agent: "family" }),
    ...denied(["exec", ...WRITING, "browser"], "agent", { agent: "family" }),
    ...allowed(["read", "write", "exec", "process"], { agent: "work" }),
    ...denied(["browser", "gateway", "discord", "edit"], "agent", { agent: "work" }),
  ],
  "per-provider": [
    ...allowed(["session_status"], { context: { provider: "google-antigravity" } }),
    ...denied(["exec", "read"], "provider-profile", { context: { provider: "google-antigravity" } }),
    ...allowed(["read", "sessions_list"], { context: { provider: "openai", model: "gpt-5.2" } }),
    ...denied(["exec"], "provider", { context: { provider: "openai", model: "gpt-5.2" } }),
    ...allowed(["exec"], { context: { provider: "openai", model: "gpt-4" } }),
    ...denied(["sessions_history"], "provider-profile", { agent: "support", context: { provider: "google-antigravity" } }),
    ...denied(["session_status"], "agent-provider", { agent: "support", context: { provider: "google-antigravity" } }),
  ],
  "sandbox-lists": [
    ...allowed(["exec", "process", "read", "write", "edit"], sandboxed("main")),
    ...denied(["browser", "gateway", "web_search"], "sandbox", sandboxed("main")),
    ...allowed(["read"], sandboxed("public")),
    ...denied(["exec", ...WRITING], "sandbox", sandboxed("public")),
    ...allowed(["browser"]),
  ],
  "subagent-lists": [
    ...allowed(["read", "exec"], { context: { subagentDepth: 1 } }),
    ...denied(["write", "edit", "browser", "gateway", "web_search"], "subagent", { context: { subagentDepth: 1 } }),
    ...allowed(["write"]),
  ],
  "several-agents-complete": [
    ...allowed(["read", "exec", "cron"], { agent: "main" }),
    ...denied(["browser"], "profile", { agent: "main" }),
    ...denied(["gateway"], "profile", { agent: "main" }),
    ...denied(["read"], "provider-profile", { agent: "main", context: { provider: "google-antigravity" } }),
    ...denied(["exec", ...WRITING, "browser"], "profile", { agent: "family" }),
    ...allowed(["read", "write", "exec", "process"], { agent: "work" }),
    ...denied(["edit", "apply_patch"], "agent", { agent: "work" }),
  ],
  "read-only-with-history": [
    ...allowed(["read", "sessions_list", "sessions_history"]),
    ...denied(["exec", ...WRITING, "process", "browser"], "global"),
  ],
  "execute-without-writing-or-gateway": [...allowed(["read", "exec", "process"]), ...denied([...WRITING, "browser", "gateway"], "global")],
  "talk-only-by-profile": [
    ...allowed(["message", "sessions_list", "sessions_history", "sessions_send", "session_status"]),
    ...denied(["exec", ...WRITING, "read", "browser"], "profile"),
  ],
  "profile-minus-tools": [...allowed(["read", "exec", "cron"]), ...denied(["browser", "gateway"], "profile")],
  "documented-boundaries": [...allowed(["read"], { agent: "family" }), ...denied(["exec", ...WRITING], "agent", { agent: "family" })],
  "plugin-tools-by-mistake": [...allowed(["read", "write", "exec", "my-plugin-tool"])],
  "plugin-tools-added": [...allowed(["read", "exec", "my-plugin-tool", "other-plugin-tool"])],
  "everything-at-once": [
    ...allowed(["read", "write", "edit", "apply_patch", "exec"], { agent: "main" }),
    ...denied(["browser", "web_search"], "agent", { agent: "main" }),
    ...allowed(["read"], { agent: "main", args: { path: "~/Projects/a.ts" } }),
    ...denied(["read"], "arguments", { agent: "main", args: { path: "~/.ssh/id_rsa" } }),
    ...denied(["write"], "arguments", { agent: "main", args: { path: "/etc/passwd" } }),
    ...allowed(["write"], { agent: "main", args: { path: "/tmp/x" } }),
  ],
  "paths-and-sites": [
    ...allowed(["read", "write", "edit"], { args: { path: "~/Projects/a/b.ts" } }),
    ...denied(["read"], "arguments", { args: { path: "/tmp/../home/u/.ssh/id_rsa" } }),
    ...denied(["read"], "arguments", { args: { path: "/tmp/big" }, sizes: { "/tmp/big": 10_485_761 } }),
    ...denied(["write"], "arguments", { args: { path: "/opt/x" } }),
    ...allowed(["browser"], { args: { url: "https://docs.github.com/en" } }),
    ...denied(["browser"], "arguments", { args: { url: "https://internal-corp.example/" } }),
    ...allowed(["web_fetch"], { args: { url: "https://registry.npmjs.com/x" }, others: ["104.16.0.1"] }),
    ...denied(["web_fetch"], "arguments", { args: { url: "http://169.254.169.254/latest" } }),
    ...denied(["web_fetch"], "arguments", { args: { url: "https://github.com/" }, others: ["192.168.0.1"] }),
  ],
};

/** Their texts expect `allow` to add to a profile. Layers only narrow, so no tool is left, and the operator is told what to write. */
const TOLD: Readonly<Record<string, { readonly agent: string; readonly warning: string }>> = {
  "coding-and-messaging": { agent: "support", warning: "`agents.list[0].tools.allow` names nothing that profile `messaging` has" },
  "profile-and-override": { agent: "support", warning: "`agents.list[0].tools.allow` names nothing that profile `messaging` has" },
  "coding-with-browser": { agent: "main", warning: "`tools.allow` names nothing that profile `coding` has" },
  "start-restrictive": { agent: "main", warning: "`tools.allow` names nothing that profile `minimal` has" },
  "several-layers-at-once": { agent: "public-bot", warning: "`agents.list[0].tools.allow` names nothing that profile `minimal` has" },
};

const ELSEWHERE = ["elevated-senders", "elevated-by-sender", "exec-safe-bins"];

test("every example is claimed about", () => {
  const names = readdirSync(FOLDER).map((file) => file.replace(/\.json5$/, ""));
  expect(names.sort()).toEqual([...Object.keys(CLAIMS), ...Object.keys(TOLD), ...ELSEWHERE].sort());
});

test.each(Object.entries(CLAIMS))("%s gives what its text says", (name, claims) => {
  const settings = example(name);
  for (const [tool, expected, question] of claims) {
    expect(`${tool} ${JSON.stringify(question)}: ${outcome(settings, tool, question)}`).toBe(
      `${tool} ${JSON.stringify(question)}: ${expected}`,
    );
  }
});

describe("an allow beside a profile that shares no tool with it", () => {
  test.each(Object.entries(TOLD))("%s leaves nothing, and says to write `alsoAllow`", (name, { agent, warning }) => {
    const settings = example(name);
    expect(passing(settings, { agent })).toEqual([]);
    expect(settings.warnings.filter((each) => each.startsWith(warning) && each.includes("`alsoAllow`"))).toHaveLength(1);
  });

  test("the global profile of the same file still gives coding tools to everyone else", () => {
    expect([...passing(example("coding-and-messaging"))].sort()).toEqual([...(PROFILES.coding ?? [])].sort());
  });

  test("written as `alsoAllow` it gives messaging and the Slack tool", () => {
    const settings = load({ agents: { list: [{ id: "support", tools: { profile: "messaging", alsoAllow: ["slack"] } }] } });
    expect([...passing(settings, { agent: "support" })].sort()).toEqual([...(PROFILES.messaging ?? []), "slack"].sort());
  });
});

describe("the elevated examples", () => {
  test("by channel: the listed number passes, other agents' `enabled: false` holds, display names do not count", () => {
    const { elevated } = example("elevated-senders");
    const from = (agent: string, channel: string, sender: string) => elevated.authorize({ agentId: agent, channel, sender }).allowed;
    expect(from("main", "whatsapp", "+15555550123")).toBe(true);
    expect(from("main", "telegram", "123456789")).toBe(true);
    expect(from("main", "discord", "123456789")).toBe(false);
    expect(from("family", "whatsapp", "+15555550123")).toBe(false);
    expect(elevated.authorize({ agentId: "main", channel: "discord", sender: { id: "5", name: "steipete" } }).allowed).toBe(false);
  });

  test("by sender: both lists must name the sender", () => {
    const { elevated } = example("elevated-by-sender");
    const from = (agent: string, id: string) => elevated.authorize({ agentId: agent, channel: "discord", sender: { id } }).allowed;
    expect(from("main", "123456789")).toBe(true);
    expect(from("main", "987654321")).toBe(false);
    expect(from("other", "987654321")).toBe(true);
  });

  test("with everything at once, both lists name the same person in two ways", () => {
    const { elevated } = example("everything-at-once");
    expect(elevated.authorize({ agentId: "main", channel: "discord", sender: { id: "123456789" } }).allowed).toBe(true);
    expect(elevated.authorize({ agentId: "main", channel: "telegram", sender: { id: "123456789" } }).allowed).toBe(false);
  });
});

test("the exec settings arrive where commands are judged", () => {
  expect(example("exec-safe-bins").execFor(agentId("main"))).toMatchObject({
    safeBinTrustedDirs: ["/bin", "/usr/bin", "/opt/homebrew/bin"],
    safeBinProfiles: { jq: { maxPositional: 1, deniedFlags: ["-f", "--argfile", "-L"] } },
  });
  const all = example("everything-at-once");
  expect(all.execFor(agentId("main"))).toMatchObject({ security: "deny", ask: "on-miss", askFallback: "deny" });
  expect(all.approvalTimeoutMs).toBe(300_000);
});

test("modes of sandboxing follow the agent, then the defaults, then the gateway", () => {
  const settings = example("sandbox-mode-per-agent");
  const isSandboxed = (agent: string, sessionKey: string) =>
    settings.tools.isSandboxed({ agentId: agentId(agent), sessionKey, context: {} });
  expect(isSandboxed("main", "discord:group:1")).toBe(false);
  expect(isSandboxed("public", "main")).toBe(true);
  expect(isSandboxed("other", "main")).toBe(false);
  expect(isSandboxed("other", "agent:other:whatsapp:group:1")).toBe(true);
});
