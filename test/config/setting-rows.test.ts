import { describe, expect, test } from "vitest";
import { settingsSchema } from "../../src/config/json-schema.ts";
import { settingGroups } from "../../src/config/setting-groups.ts";
import { type SettingRow, settingRows } from "../../src/config/setting-rows.ts";
import { defaultText, valuesText } from "../../src/config/setting-words.ts";
import { parseSettings, type Settings } from "../../src/config/settings.ts";
import { isJsonObject, type JsonValue } from "../../src/core/json.ts";
import { agentId } from "../tools/asking.ts";

const rows = settingRows();

function rowOf(key: string): SettingRow {
  const found = rows.find((row) => row.key === key);
  if (found === undefined) throw new Error(`there is no row for ${key}`);
  return found;
}

/** The name of every key that the schema knows, wherever it stands. */
function namesIn(schema: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { anyOf, properties, items, additionalProperties } = schema;
  return [
    ...(Array.isArray(anyOf) ? anyOf : []).flatMap(namesIn),
    ...namesIn(items),
    ...namesIn(additionalProperties),
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, each]) => [name, ...namesIn(each)]),
  ];
}

describe("the rows of the settings", () => {
  test("name every key that the schema knows, and every one says what it means", () => {
    const last = new Set(rows.map(({ key }) => key.replace(/\[\]$/, "").split(".").at(-1)));
    expect(namesIn(settingsSchema()).filter((name) => !last.has(name))).toEqual([]);
    expect(rows.filter(({ about }) => !/^\S.*[.]$/.test(about)).map(({ key }) => key)).toEqual([]);
  });

  test("are each there once, below what they belong to, and point only at sections that are described", () => {
    const keys = rows.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(rows.filter(({ sameAs }) => sameAs !== undefined && !keys.includes(sameAs))).toEqual([]);
    expect(rowOf("agents.<name>.tools").sameAs).toBe("tools");
    expect(rowOf("agents.list[]").sameAs).toBe("agents.<name>");
    expect(rowOf("agents.list[].id").isRequired).toBe(true);
  });

  test.each([
    ["tools.exec.unbound", '`"ask"` or `"refuse"`', '`"ask"`'],
    ["tools.exec.maxOutputBytes", "a whole number, 0 to 67108864", "`80000`"],
    ["tools.exec.env.pass", "a list of texts, each a variable's name, or the beginning of several and a star: `LC_*`", "`[]`"],
    ["tools.exec.runAs", "a text", "unset"],
    ["tools.exec.commands[].prefix", "a list of texts, each one word, as it stands", "required"],
    ["providers", "a list of sections, or a section for each name", "unset"],
    ["agents.<name>.exec", "a section as `tools.exec`", ""],
    ["bindings", "anything", "unset"],
  ])("%s takes %s, and without it %s holds", (key, values, usual) => {
    expect([valuesText(rowOf(key)), defaultText(rowOf(key))]).toEqual([values, usual]);
  });
});

describe("the defaults", () => {
  const parsed = (text: string): Settings => {
    const settings = parseSettings(text, "test");
    if (!settings.ok) throw new Error(settings.failure.message);
    return settings.value;
  };
  const inForce = (settings: Settings): object => {
    const situation = { agentId: agentId("main"), sessionKey: "s", context: {} };
    return {
      exec: settings.execFor(agentId("main")),
      timeout: settings.approvalTimeoutMs,
      trusts: settings.trustForwardedDecisions,
      mainKey: settings.toolConfig.mainKey,
      sandboxed: settings.tools.isSandboxed(situation),
      tools: settings.tools.list(situation).map(({ tool, allowed }) => [tool, allowed]),
      children: settings.tools.list({ ...situation, context: { subagentDepth: 1 } }).map(({ tool, allowed }) => [tool, allowed]),
    };
  };

  const written = rows.filter(({ key, schema }) => schema["default"] !== undefined && !key.includes("<name>"));

  test.each(written.map(({ key, schema }) => ({ key, value: schema["default"] })))(
    "$key: writing its default changes nothing",
    ({ key, value }) => {
      const file = key.split(".").reduceRight<JsonValue | undefined>((inner, name) => ({ [name]: inner }), value);
      expect(inForce(parsed(JSON.stringify(file)))).toEqual(inForce(parsed("{}")));
    },
  );

  test("are in the schema for editors, but not where an agent leaves out what holds for all", () => {
    const text = (value: JsonValue | undefined): string => JSON.stringify(value);
    const { properties } = settingsSchema();
    const { agents, tools } = isJsonObject(properties) ? properties : {};
    expect(text(tools)).toContain('"default":"ask"');
    expect(text(agents)).not.toMatch(/"default":[^{]/);
    expect(text(agents)).toContain('"default":{"description":');
  });
});

describe("the examples", () => {
  test.each(settingGroups())("that of $name loads without a warning, and shows a key of its section", ({ name, rows: own, example }) => {
    const settings = parseSettings(example, name);
    expect(settings.ok ? settings.value.warnings : settings.failure.message).toEqual([]);
    expect(own.some(({ key }) => example.includes(`${key.split(".").at(-1) ?? ""}:`))).toBe(true);
  });

  test("every key belongs to one section", () => {
    expect(settingGroups().flatMap((group) => group.rows).length).toBe(rows.length);
  });
});
