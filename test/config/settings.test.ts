import { describe, expect, test } from "vitest";
import { defaultSettings, parseSettings, type Settings } from "../../src/config/settings.ts";
import { type AgentId, isAgentId } from "../../src/core/ids.ts";
import { SETTINGS_BYTES_MAX, SETTINGS_PROBLEMS_MAX } from "../../src/core/limits.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";

function agent(name: string): AgentId {
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}

function load(text: string): Settings {
  const settings = parseSettings(text, "countersign.json5");
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
}

/** Every mistake as `line:column path message`. */
function mistakes(text: string): readonly string[] {
  const settings = parseSettings(text, "countersign.json5");
  if (settings.ok) return [];
  expect(settings.failure.code).toBe("config.invalid");
  const problems: unknown = settings.failure.details["problems"];
  if (!Array.isArray(problems)) throw new Error("problems are a list");
  return problems.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`);
}

describe("the settings of commands", () => {
  test("an empty file gives the defaults", () => {
    for (const settings of [load("{}"), defaultSettings(), load("{tools: null}")]) {
      expect(settings.execFor(agent("main"))).toEqual(EXEC_SETTINGS_DEFAULT);
      expect(settings.approvalTimeoutMs).toBe(120_000);
      expect(settings.trustForwardedDecisions).toBe(false);
      expect(settings.warnings).toEqual([]);
    }
  });

  test("an agent's section lies over the global one, in either spelling", () => {
    const global = "tools: { exec: { maxTimeoutMs: 5000, pathPrepend: ['/opt/bin'], env: { pass: ['TZ'] } } }";
    for (const agents of [
      "agents: { list: [{ id: 'ops', tools: { exec: { maxTimeoutMs: 9000, env: { allowOverride: ['CI'] } } } }] }",
      "agents: { ops: { tools: { exec: { maxTimeoutMs: 9000, env: { allowOverride: ['CI'] } } } } }",
      "agents: { ops: { exec: { maxTimeoutMs: 9000, env: { allowOverride: ['CI'] } } } }",
    ]) {
      const settings = load(`{ ${global}, ${agents} }`);
      expect(settings.execFor(agent("ops"))).toMatchObject({
        maxTimeoutMs: 9000,
        pathPrepend: ["/opt/bin"],
        envPass: ["TZ"],
        envAllowOverride: ["CI"],
      });
      expect(settings.execFor(agent("main"))).toMatchObject({
        maxTimeoutMs: 5000,
        envAllowOverride: EXEC_SETTINGS_DEFAULT.envAllowOverride,
      });
    }
  });

  test("an agent can narrow security, ask and askFallback, and never widen them", () => {
    const settings = load(`{
      tools: { exec: { security: "allowlist", ask: "on-miss", askFallback: "allowlist" } },
      agents: {
        loose: { tools: { exec: { security: "full", ask: "off", askFallback: "full" } } },
        tight: { exec: { ask: "always" }, tools: { exec: { security: "deny", ask: "off", askFallback: "deny" } } },
      },
    }`);
    expect(settings.execFor(agent("loose"))).toMatchObject({ security: "allowlist", ask: "on-miss", askFallback: "allowlist" });
    expect(settings.execFor(agent("tight"))).toMatchObject({ security: "deny", ask: "always", askFallback: "deny" });
  });

  test("skills register programs by name and absolute path", () => {
    const settings = load("{ skills: { pdf: { bins: [{ name: 'pdfgrep', path: '/opt/pdf/bin/pdfgrep' }] } } }");
    expect(settings.execFor(agent("main")).skillBins).toEqual([{ name: "pdfgrep", path: "/opt/pdf/bin/pdfgrep" }]);
  });

  test("what a policy hands out cannot be changed afterwards", () => {
    const settings = load("{ tools: { exec: { security: 'deny' } } }");
    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.isFrozen(settings.execFor(agent("main")))).toBe(true);
  });
});

describe("a settings file with mistakes", () => {
  test("names each of them at its place, in order", () => {
    expect(
      mistakes(`{
  tools: { exce: {}, exec: { security: "ful", safeBins: ["awk", "jq"] }, allow: "read" },
  agents: { list: [{ tools: {} }, { id: "a" }, { id: "a", nam: 1 }], a: {}, "b c": {} },
  skills: { x: { bins: [{ name: "y" }] } },
  approvals: { exec: { timeout: 1.5 } },
}`),
    ).toEqual([
      "2:12 tools.exce is not a known key; did you mean `exec`?",
      "2:40 tools.exec.security must be one of `deny`, `allowlist`, `full`; did you mean `full`?",
      "2:58 tools.exec.safeBins[0] can run other programs and is never a safe bin; leave it out",
      "2:81 tools.allow must be a list",
      "3:20 agents.list[0] must have `id`",
      "3:48 agents.list[2] describes agent `a` again, after `agents.list[1]`; keep one",
      "3:59 agents.list[2].nam is not a known key; did you mean `name`?",
      "3:70 agents.a describes agent `a` again, after `agents.list[1]`; keep one",
      '3:77 agents["b c"] must be 1 to 128 of `A-Za-z0-9._:@-` and start with a letter or digit',
      "4:25 skills.x.bins[0] must have `path`",
      "5:33 approvals.exec.timeout must be a whole number from 1000 to 3600000",
    ]);
  });

  test.each([
    ["[]", "1:1  must be an object"],
    ["{ a: 1", "1:7  ends too early; something is left open"],
    ["{ tools: { deny: ['a'], deny: [] } }", "1:25 tools.deny is written twice; keep one"],
    ["{ tools: { byProvider: { x: {}, x: {} } } }", "1:33 tools.byProvider.x is written twice; keep one"],
    [
      "{ tools: { byProvider: { 'openai/gpt-5.2': { denny: [] } } } }",
      '1:46 tools.byProvider["openai/gpt-5.2"].denny is not a known key; did you mean `deny`?',
    ],
    ["{ __proto__: {} }", "1:3 __proto__ is not a known key; leave it out"],
    ["{ tools: { toString: 1 } }", "1:12 tools.toString is not a known key; leave it out"],
    ["{ tools: { deny: [null] } }", "1:19 tools.deny[0] must not be null; leave it out"],
    ["{ tools: { deny: ['a b'] } }", "1:19 tools.deny[0] must be printable ASCII without blanks"],
    ["{ tools: { exec: { maxTimeoutMs: Infinity } } }", "1:34 tools.exec.maxTimeoutMs must be a whole number from 1 to 2147483647"],
    ["{ tools: { exec: { path: ['bin'] } } }", "1:27 tools.exec.path[0] must be an absolute path"],
    [
      "{ tools: { exec: { env: { allowOverride: ['LD_PRELOAD'] } } } }",
      "1:43 tools.exec.env.allowOverride[0] can change what runs and is refused always; leave it out",
    ],
    [
      "{ tools: { exec: { env: { pass: ['A-B'] } } } }",
      "1:34 tools.exec.env.pass[0] must be a variable's name, with at most a star at its end",
    ],
    ["{ tools: { read: { allow: ['src/**'] } } }", "1:28 tools.read.allow[0] must start with `/` or `~/`"],
    [
      "{ tools: { web_fetch: { allowedDomains: ['https://a.b'] } } }",
      "1:42 tools.web_fetch.allowedDomains[0] must be a domain, an address or a network, without scheme, port or path",
    ],
    [
      "{ tools: { browser: { allowedOrigins: ['a.b'] } } }",
      "1:40 tools.browser.allowedOrigins[0] must be a scheme and a host, as in `https://*.github.com`",
    ],
    ["{ tools: { elevated: { allowFrom: 'id:1' } } }", "1:35 tools.elevated.allowFrom must be a list or an object"],
    ["{ providers: [{ tools: {} }] }", "1:15 providers[0] must have `id`"],
    ["{ agent: {} }", "1:3 agent is not a known key; did you mean `agents`?"],
    ["{ tools: { profile: 'nope' } }", "1:21 tools.profile must be one of `full`, `coding`, `messaging`, `minimal`"],
  ])("%s", (text, mistake) => {
    expect(mistakes(text)).toEqual([mistake]);
  });

  test("says the first one and the number of the others in one sentence", () => {
    const settings = parseSettings("{ a: 1,\n b: 2 }", "policy.json5");
    expect(settings.ok ? "" : settings.failure.message).toBe("policy.json5:1:3: `a` is not a known key; leave it out (and 1 more)");
  });

  test("is read up to a mebibyte, and lists at most a hundred mistakes", () => {
    expect(mistakes(`{}${" ".repeat(SETTINGS_BYTES_MAX - 2)}`)).toEqual([]);
    expect(mistakes(`{}${" ".repeat(SETTINGS_BYTES_MAX - 1)}`)).toEqual([`1:1  has more than ${SETTINGS_BYTES_MAX} bytes`]);
    const many = Array.from({ length: SETTINGS_PROBLEMS_MAX + 50 }, (_, index) => `k${index}: 1`).join(",");
    expect(mistakes(`{${many}}`)).toHaveLength(SETTINGS_PROBLEMS_MAX);
  });
});
