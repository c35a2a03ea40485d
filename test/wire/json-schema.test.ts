import * as v from "valibot";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { jsonSchemaOf } from "../../src/wire/json-schema.ts";
import { isMethodName, METHODS, parseCall } from "../../src/wire/methods.ts";
import { askedCommand, decisionAnswer, execAnswer, execFrame, execRequest, requestFrame } from "../../src/wire/openclaw.ts";
import { violations } from "../support/json-schema.ts";
import { CALLS } from "./sample-calls.ts";

const NAMES = Object.keys(METHODS).filter(isMethodName);

/** Every call with one thing wrong or missing, or one thing more. */
function variations(params: JsonObject): readonly JsonObject[] {
  const wrong: readonly JsonValue[] = [null, [[]], { wrong: {} }, 0, -1, 1.5, "", "\0", "é", true, [], {}, "x".repeat(100_000)];
  const keys = Object.keys(params);
  return [
    params,
    { ...params, more: 1 },
    ...keys.map((key) => Object.fromEntries(Object.entries(params).filter(([name]) => name !== key))),
    ...keys.flatMap((key) => wrong.map((value) => ({ ...params, [key]: value }))),
    { ...params, argv: ["x"] },
    { ...params, command: "x" },
    { ...params, stdin: "", stdinBase64: "" },
    { ...params, approvalId: "x", approvalToken: "y" },
    { ...params, token: "x", proof: "y" },
  ];
}

describe("the schema document", () => {
  test.each(NAMES)("%s: says of a call what the parser says of it", (method) => {
    const schema = jsonSchemaOf(METHODS[method].schema);
    for (const params of CALLS[method].flatMap(variations)) {
      const shown = JSON.stringify(params).slice(0, 200);
      const parsed = parseCall(method, params);
      const found = violations(schema, params);
      if (parsed.ok) expect(found, shown).toEqual([]);
      // A path that is not plain and base64 that is not canonical are more than a schema can say.
      else if (!["cwd", "stdinBase64"].some((path) => path === parsed.failure.details["path"])) expect(found, shown).not.toEqual([]);
    }
  });

  test("knows every schema of OpenClaw's dialect", () => {
    for (const schema of [askedCommand, decisionAnswer, execAnswer, execFrame, execRequest, requestFrame]) {
      expect(jsonSchemaOf(schema)).toHaveProperty(schema === execAnswer ? "anyOf" : "properties");
    }
    const frame = { type: "decision", id: "x", decision: "deny" };
    expect(violations(jsonSchemaOf(decisionAnswer), frame)).toEqual([]);
    expect(violations(jsonSchemaOf(decisionAnswer), { ...frame, decision: "maybe" })).not.toEqual([]);
    expect(violations(jsonSchemaOf(execRequest), { command: ["ls"], cwd: null, unknown: 1 })).toEqual([]);
    expect(violations(jsonSchemaOf(execRequest), { command: [] })).not.toEqual([]);
  });

  test("does not pass over a word that it does not know", () => {
    expect(() => jsonSchemaOf(v.date())).toThrow("date");
    expect(() => jsonSchemaOf(v.pipe(v.string(), v.email()))).toThrow("email");
    expect(() =>
      jsonSchemaOf(
        v.pipe(
          v.string(),
          v.check(() => true),
        ),
      ),
    ).toThrow("check");
  });
});
