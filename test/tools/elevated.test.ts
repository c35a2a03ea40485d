import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { parseDirective } from "../../src/tools/directive.ts";
import { judgeExec } from "../../src/tools/exec-gate.ts";
import type { CallContext, Sender } from "../../src/tools/tool-call.ts";
import { textOf } from "../conformance/reading.ts";
import { agentId, load } from "./asking.ts";
import { toolMachine } from "./table-machine.ts";

const ON = { enabled: true, allowFrom: ["discord:1", "username:alice", "e164:+1555"] };

describe("who may use elevated mode", () => {
  const authorize = (allowFrom: JsonObject[string], sender: Sender | undefined, channel: string | undefined = "discord") =>
    load({ tools: { elevated: { enabled: true, allowFrom } } }).elevated.authorize({
      agentId: "main",
      ...(sender === undefined ? {} : { sender }),
      ...(channel === undefined ? {} : { channel }),
    }).allowed;

  test.each<[string, JsonObject[string], Sender, string, boolean]>([
    ["a channel and an id", ["discord:1"], { id: "1" }, "discord", true],
    ["the same id on another channel", ["discord:1"], { id: "1" }, "telegram", false],
    ["an id on any channel", ["id:1"], { id: "1" }, "telegram", true],
    ["a name for an id", ["id:1"], { id: "2", name: "1" }, "discord", false],
    ["a username", ["username:alice"], { id: "2", username: "alice" }, "discord", true],
    ["a username in other letters", ["username:Alice"], { id: "2", username: "alice" }, "discord", false],
    ["a prefix in capitals", ["USERNAME:alice"], { id: "2", username: "alice" }, "discord", false],
    ["a tag", ["tag:alice#1234"], { tag: "alice#1234" }, "discord", true],
    ["an address", ["from:alice@corp"], { from: "alice@corp" }, "mail", true],
    ["an address with its channel", ["from:+1555"], { from: "whatsapp:+1555" }, "whatsapp", true],
    ["a number", ["e164:+1555"], { e164: "+1555" }, "whatsapp", true],
    ["everyone", ["*"], { id: "x" }, "discord", true],
    ["a bare word in a flat list", ["alice"], { id: "alice", username: "alice" }, "discord", false],
    ["a bare id in a channel's list", { discord: ["1"] }, { id: "1" }, "discord", true],
    ["another channel's list", { discord: ["1"] }, { id: "1" }, "telegram", false],
    [
      "a bare word that is someone's display name",
      { discord: ["alice"] },
      { id: "2", name: "alice", username: "alice", tag: "alice" },
      "discord",
      false,
    ],
    ["a field in a channel's list", { discord: ["username:alice"] }, { id: "2", username: "alice" }, "discord", true],
    ["everyone on one channel", { discord: ["*"] }, { id: "2" }, "discord", true],
    ["everyone on one channel, from another", { discord: ["*"] }, { id: "2" }, "slack", false],
    ["an id with a colon in it", { matrix: ["@alice:matrix.org"] }, { id: "@alice:matrix.org" }, "matrix", true],
    ["a sender who is only a text", ["discord:1"], "discord:1", "discord", true],
    ["an empty list", [], { id: "1" }, "discord", false],
  ])("%s", (_, allowFrom, sender, channel, expected) => {
    expect(authorize(allowFrom, sender, channel)).toBe(expected);
  });

  test("nobody, when sender or channel are not said", () => {
    expect(authorize(["*"], undefined)).toBe(false);
    const { elevated } = load({ tools: { elevated: { enabled: true, allowFrom: ["*"] } } });
    expect(elevated.authorize({ agentId: "main", sender: "1" }).allowed).toBe(false);
  });

  test("nobody, until it is switched on; and an agent can only take away", () => {
    const gate = (config: JsonObject) => load(config).elevated.authorize({ agentId: "main", sender: { id: "1" }, channel: "discord" });
    expect(gate({})).toEqual({ allowed: false, gate: "enabled", source: "tools.elevated.enabled" });
    expect(gate({ tools: { elevated: { allowFrom: ["*"] } } })).toMatchObject({ allowed: false, gate: "enabled" });
    expect(gate({ tools: { elevated: { enabled: true } } })).toMatchObject({ allowed: false, gate: "allowFrom" });
    expect(gate({ agents: { main: { tools: { elevated: { enabled: true, allowFrom: ["*"] } } } } })).toMatchObject({
      allowed: false,
      gate: "enabled",
    });
    expect(gate({ tools: { elevated: ON }, agents: { main: { tools: { elevated: { allowFrom: [] } } } } })).toEqual({
      allowed: false,
      gate: "allowFrom",
      source: "agents.main.tools.elevated.allowFrom",
    });
    expect(gate({ tools: { elevated: ON }, agents: { main: { tools: { elevated: { enabled: true } } } } })).toEqual({
      allowed: true,
      source: "tools.elevated.allowFrom: discord:1",
    });
  });

  test("an entry that can name nobody is pointed out", () => {
    expect(load({ tools: { elevated: { enabled: true, allowFrom: ["alice"] } } }).warnings).toEqual([
      "`tools.elevated.allowFrom` has `alice`, which names nobody; write `id:alice`, `username:alice` or a channel and an id",
    ]);
  });
});

describe("the one choke point of commands", () => {
  const judged = (config: JsonObject, context: CallContext, sessionKey = "main") => {
    const call = { agentId: agentId("main"), sessionKey, context, args: { argv: ["id"] } };
    const result = judgeExec(load(config), call, toolMachine());
    if (result.ok) return result.value.approval;
    const { gate, layer } = result.failure.details;
    return `${result.failure.code} ${textOf(gate ?? layer)}`;
  };
  const alice: CallContext = { sandboxed: true, channel: "discord", sender: { id: "1" } };
  const mallory: CallContext = { sandboxed: true, channel: "discord", sender: { id: "6" } };

  test.each<[string, JsonObject, CallContext, string]>([
    ["an agent outside any sandbox is left to the ordinary rules", {}, { sandboxed: false }, "normal"],
    ["outside a sandbox `full` skips nothing", { tools: { elevated: ON } }, { ...alice, sandboxed: false, elevated: "full" }, "normal"],
    ["outside a sandbox `ask` still asks", { tools: { elevated: ON } }, { sandboxed: false, elevated: "ask" }, "required"],
    ["a sandboxed agent's command does not run here", {}, { sandboxed: true }, "policy.elevated-refused sandbox"],
    ["`on` brings it here under the ordinary rules", { tools: { elevated: ON } }, { ...alice, elevated: "on" }, "normal"],
    ["`ask` brings it here and asks", { tools: { elevated: ON } }, { ...alice, elevated: "ask" }, "required"],
    ["`full` brings it here and asks nobody", { tools: { elevated: ON } }, { ...alice, elevated: "full" }, "none"],
    ["`off` leaves it in the sandbox", { tools: { elevated: ON } }, { ...alice, elevated: "off" }, "policy.elevated-refused sandbox"],
    ["a stranger's `full` is refused", { tools: { elevated: ON } }, { ...mallory, elevated: "full" }, "policy.elevated-refused allowFrom"],
    [
      "a tool denied in layer 1 stays denied under `full`",
      { tools: { deny: ["exec"], elevated: ON } },
      { ...alice, elevated: "full" },
      "policy.tool-denied global",
    ],
    ["a default counts for who may use it", { tools: { elevated: ON }, agents: { defaults: { elevatedDefault: "full" } } }, alice, "none"],
    [
      "a default counts as off for anyone else",
      { tools: { elevated: ON }, agents: { defaults: { elevatedDefault: "full" } } },
      mallory,
      "policy.elevated-refused sandbox",
    ],
  ])("%s", (_, config, context, expected) => {
    expect(judged(config, context)).toBe(expected);
  });

  test("the settings' own sandbox holds where the gateway says nothing", () => {
    expect(judged({ sandboxing: { mode: "all" } }, {})).toBe("policy.elevated-refused sandbox");
    expect(judged({ sandboxing: { mode: "non-main" } }, {})).toBe("normal");
    expect(judged({ sandboxing: { mode: "non-main" } }, {}, "discord:group:1")).toBe("policy.elevated-refused sandbox");
  });
});

describe("a directive", () => {
  test.each([
    ["/elevated on", { mode: "on", scope: "session" }],
    ["/elev\tfull ", { mode: "full", scope: "session" }],
    ["/elev ask deploy it", { mode: "ask", scope: "inline" }],
    ["/elevated", null],
    ["/elevated maybe", null],
    ["/elevated ON", null],
    ["/elevated online", null],
    ["/elevator on", null],
    ["please /elevated full", null],
    ["> /elevated full", null],
    ["/elevated\nfull", null],
  ])("%j", (text, expected) => {
    expect(parseDirective(text)).toEqual(expected);
  });
});
