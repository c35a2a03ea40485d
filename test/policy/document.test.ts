import { describe, expect, test } from "vitest";
import { type AgentId, isAgentId } from "../../src/core/ids.ts";
import { defaultDocument, type ExecDocument, parseDocument } from "../../src/policy/document.ts";
import { effectiveFor } from "../../src/policy/effective.ts";
import { renderDocument } from "../../src/policy/render-document.ts";

function read(value: unknown): ExecDocument {
  const parsed = parseDocument(JSON.stringify(value));
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

function agent(name: string): AgentId {
  if (!isAgentId(name)) throw new Error(name);
  return name;
}

function problemsOf(text: string): unknown {
  const parsed = parseDocument(text);
  if (parsed.ok) return "no problem";
  expect(parsed.failure.code).toBe("state.corrupt");
  return parsed.failure.details["problems"];
}

describe("a document that is broken says where", () => {
  const rows: readonly { readonly name: string; readonly text: string; readonly path: string }[] = [
    { name: "half a file", text: '{"version":1', path: "" },
    { name: "nothing at all", text: "", path: "" },
    { name: "the same agent twice", text: '{"version":1,"agents":{"main":{},"main":{"security":"full"}}}', path: "" },
    { name: "a key that reaches the prototype", text: '{"version":1,"agents":{"__proto__":{"security":"full"}}}', path: "" },
    { name: "a list", text: "[]", path: "" },
    { name: "no version", text: "{}", path: "version" },
    { name: "a later version", text: '{"version":2}', path: "version" },
    { name: "a version in quotes", text: '{"version":"1"}', path: "version" },
    { name: "another case is another word", text: '{"version":1,"defaults":{"security":"Full"}}', path: "defaults.security" },
    { name: "nothing is trimmed", text: '{"version":1,"agents":{"main":{"ask":" off"}}}', path: "agents.main.ask" },
    { name: "a fallback nobody knows", text: '{"version":1,"agents":{"*":{"askFallback":"ask"}}}', path: "agents.*.askFallback" },
    { name: "a flag in quotes", text: '{"version":1,"defaults":{"autoAllowSkills":"false"}}', path: "defaults.autoAllowSkills" },
    { name: "defaults as a list", text: '{"version":1,"defaults":[]}', path: "defaults" },
    { name: "agents as a text", text: '{"version":1,"agents":"main"}', path: "agents" },
    { name: "an agent as a text", text: '{"version":1,"agents":{"ops.1":"x"}}', path: 'agents["ops.1"]' },
    {
      name: "a number in an allowlist",
      text: '{"version":1,"agents":{"main":{"allowlist":["/bin/ls",7]}}}',
      path: "agents.main.allowlist[1]",
    },
    {
      name: "an entry without a pattern",
      text: '{"version":1,"agents":{"main":{"allowlist":[{}]}}}',
      path: "agents.main.allowlist[0].pattern",
    },
    {
      name: "a digest that is none",
      text: '{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/a","sha256":"AB"}]}}}',
      path: "agents.main.allowlist[0].sha256",
    },
    {
      name: "an empty expression would match everything",
      text: '{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/a","argPattern":""}]}}}',
      path: "agents.main.allowlist[0].argPattern",
    },
    {
      name: "a bound that is no number",
      text: '{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/a","usesLeft":-1}]}}}',
      path: "agents.main.allowlist[0].usesLeft",
    },
    { name: "a user by name", text: '{"version":1,"socket":{"allowUids":[0,"root"]}}', path: "socket.allowUids[1]" },
    { name: "a gateway without a digest", text: '{"version":1,"socket":{"gateways":{"ci":{}}}}', path: "socket.gateways.ci.tokenSha256" },
    { name: "an empty token", text: '{"version":1,"socket":{"token":""}}', path: "socket.token" },
  ];
  test.each(rows)("$name", ({ text, path }) => {
    expect(problemsOf(text)).toEqual([expect.objectContaining({ path })]);
  });

  test("all faults are told at once", () => {
    expect(problemsOf('{"version":3,"defaults":{"ask":1},"agents":{"a":{"security":1}}}')).toHaveLength(3);
  });
});

describe("what holds for an agent", () => {
  test("comes field by field from the agent, then from the star, then from the defaults, then from us", () => {
    const document = read({
      version: 1,
      defaults: { askFallback: "allowlist", security: "full" },
      agents: { "*": { ask: "always", security: "allowlist" }, main: { security: "deny", ask: null } },
    });
    const { security, ask, askFallback, autoAllowSkills } = effectiveFor(document, agent("main"));
    expect(security).toEqual({ value: "deny", source: "agents.main.security" });
    expect(ask).toEqual({ value: "always", source: "agents.*.ask" });
    expect(askFallback).toEqual({ value: "allowlist", source: "defaults.askFallback" });
    expect(autoAllowSkills).toEqual({ value: false, source: "built-in" });
  });

  test("lists the star's entries first, each with its place; blank ones grant nothing and keep their number", () => {
    const document = read({
      version: 1,
      agents: { main: { allowlist: ["  ", { pattern: "/bin/cat", id: "c" }, { pattern: "" }] }, "*": { allowlist: ["/bin/ls"] }, ops: {} },
    });
    const listed = effectiveFor(document, agent("main")).allowlist.map((entry) => `${entry.source} ${entry.pattern}`);
    expect(listed).toEqual(["agents.*.allowlist[0] /bin/ls", "agents.main.allowlist[1] /bin/cat"]);
    expect(effectiveFor(document, agent("ops")).allowlist).toHaveLength(1);
  });

  test.each(["toString", "hasOwnProperty", "valueOf", "constructor"])("an agent called `%s` is an agent like any other", (name) => {
    const nothing = effectiveFor(read({ version: 1, agents: {} }), agent(name));
    expect(nothing.security).toEqual({ value: "allowlist", source: "built-in" });
    expect(nothing.allowlist).toEqual([]);
  });
});

test("the default document reads back as itself and grants nothing", () => {
  const document = defaultDocument("/run/x.sock", "secret");
  expect(parseDocument(renderDocument(document))).toEqual({ ok: true, value: document });
  expect(renderDocument(document).endsWith("}\n")).toBe(true);
  const main = effectiveFor(document, agent("main"));
  expect([main.security.value, main.ask.value, main.askFallback.value, main.allowlist]).toEqual(["allowlist", "on-miss", "deny", []]);
});
