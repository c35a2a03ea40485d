import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import { NESTING_DEPTH_MAX } from "../../src/core/limits.ts";
import { parseStrictJson } from "../../src/core/strict-json.ts";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

const REFUSED: readonly { readonly name: string; readonly text: string; readonly code: string; readonly why: string }[] = [
  { name: "duplicate key", text: '{"a":1,"a":2}', code: "wire.duplicate-key", why: "the judge and the runner could read different ones" },
  { name: "deep duplicate", text: '{"x":[{"b":{"a":1,"c":0,"a":2}}]}', code: "wire.duplicate-key", why: "at any level" },
  { name: "escaped duplicate", text: '{"a":1,"\\u0061":2}', code: "wire.duplicate-key", why: "escapes spell the same key" },
  { name: "spaced duplicate", text: '{"a" \t :1,"b":":","a"  :2}', code: "wire.duplicate-key", why: "white space is no disguise" },
  { name: "equal values", text: '{"a":1,"a":1}', code: "wire.duplicate-key", why: "still ambiguous to other readers" },
  { name: "empty keys", text: '{"":1,"":2}', code: "wire.duplicate-key", why: "the empty key is a key" },
  { name: "__proto__", text: '{"__proto__":{"approved":true}}', code: "wire.forbidden-key", why: "prototype pollution" },
  { name: "escaped __proto__", text: '{"\\u005f\\u005fproto\\u005f\\u005f":1}', code: "wire.forbidden-key", why: "the same key" },
  { name: "deep constructor", text: '[{"a":{"constructor":{}}}]', code: "wire.forbidden-key", why: "at any level" },
  { name: "prototype", text: '{"prototype":1}', code: "wire.forbidden-key", why: "prototype pollution" },
  { name: "one level too deep", text: nested(NESTING_DEPTH_MAX + 1), code: "wire.too-deep", why: "the bound is exact" },
  { name: "100,000 deep", text: nested(100_000), code: "wire.too-deep", why: "no stack may overflow" },
  { name: "100,000 unclosed objects", text: '{"a":'.repeat(100_000), code: "wire.too-deep", why: "no stack may overflow" },
  { name: "escaped lone surrogate", text: '"\\ud800"', code: "wire.bad-utf8", why: "it has no UTF-8 form" },
  { name: "low before high", text: '"\\udc00\\ud800"', code: "wire.bad-utf8", why: "two lone ones are not a pair" },
  { name: "lone surrogate as a key", text: '{"\\udfff":1}', code: "wire.bad-utf8", why: "keys are text too" },
  { name: "raw lone surrogate", text: '"\ud800"', code: "wire.bad-utf8", why: "a caller may have decoded carelessly" },
  { name: "pair half raw, half escaped", text: '"\ud83d\\ude00"', code: "wire.bad-utf8", why: "the text itself is broken" },
  { name: "empty", text: "", code: "wire.bad-json", why: "nothing is no value" },
  { name: "trailing comma", text: '{"a":1,}', code: "wire.bad-json", why: "JSON, not JSON5" },
  { name: "comment", text: '{"a":1/*x*/}', code: "wire.bad-json", why: "JSON, not JSON5" },
  { name: "two values", text: "{} {}", code: "wire.bad-json", why: "one line, one value" },
  { name: "byte order mark", text: "\ufeff{}", code: "wire.bad-json", why: "RFC 8259 section 8.1" },
  { name: "single quotes", text: "{'a':1}", code: "wire.bad-json", why: "JSON, not JSON5" },
  { name: "unterminated string", text: '{"a":"\\"', code: "wire.bad-json", why: "cut short" },
  { name: "raw newline in a string", text: '"a\nb"', code: "wire.bad-json", why: "controls must be escaped" },
  { name: "NaN", text: "NaN", code: "wire.bad-json", why: "not JSON" },
  { name: "an infinite number", text: '{"timeoutMs":1e999}', code: "wire.bad-json", why: "Infinity cannot be said back" },
];

describe("what is refused", () => {
  test.each(REFUSED)("$name: $why", ({ text, code }) => {
    const read = parseStrictJson(text);
    expect(read).toMatchObject({ ok: false, failure: { code } });
    expect(JSON.stringify(read).length).toBeLessThan(400);
  });

  test("the repeated key is named", () => {
    expect(parseStrictJson('{"outer":{"argv":[],"argv":[]}}')).toMatchObject({ failure: { details: { key: "argv" } } });
  });

  test("a bad frame is not quoted in its own refusal, it may hold a token", () => {
    expect(JSON.stringify(parseStrictJson('{"token":"s3cret"'))).not.toContain("s3cret");
    expect(JSON.stringify(parseStrictJson(`{"${"k".repeat(500)}":1,"${"k".repeat(500)}":2}`)).length).toBeLessThan(300);
  });
});

describe("what is accepted", () => {
  test("the deepest allowed value", () => {
    expect(parseStrictJson(nested(NESTING_DEPTH_MAX)).ok).toBe(true);
  });

  test("equal keys in different objects, colons and quotes inside of strings, pairs of surrogates", () => {
    for (const text of [
      '{"a":{"a":[{"a":1},{"a":2}]}}',
      '{"a":"::\\"b\\":","c\\\\":"\\\\"}',
      '"\\ud83d\\ude00"',
      '{"😀":"😀"}',
      " [1,-0,1e3] ",
    ]) {
      expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }
  });

  test("objects have no prototype, so names of its members find nothing", () => {
    const read = parseStrictJson('{"agents":{}}');
    if (!read.ok || !isJsonObject(read.value) || !isJsonObject(read.value["agents"])) throw new Error("expected an object");
    expect(read.value["agents"]["toString"]).toBeUndefined();
    expect(read.value["hasOwnProperty"]).toBeUndefined();
  });
});

describe("properties", () => {
  test("whatever JSON.stringify prints is read back the same", () => {
    const printable = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => !/"(__proto__|constructor|prototype)":|\\ud/i.test(JSON.stringify(value)));
    fc.assert(
      fc.property(printable, (value) => {
        expect(parseStrictJson(JSON.stringify(value))).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) });
      }),
      { numRuns: 300 },
    );
  });

  test("repeating any member of any object is noticed", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.json({ maxDepth: 2 }), { minKeys: 1 }), fc.nat(), (members, pick) => {
        const printed = Object.entries(members).map(([key, json]) => `${JSON.stringify(key)}:${json}`);
        const repeated = printed[pick % printed.length] ?? "";
        expect(parseStrictJson(`[{${[...printed, repeated].join(",")}}]`).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test("no text throws, and nothing is accepted that JSON.parse refuses", () => {
    const jsonish = fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", "a", "null", "\\u", "d800", " ", "\n"), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          jsonish.map((parts) => parts.join("")),
        ),
        (text) => {
          if (parseStrictJson(text).ok) JSON.parse(text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("time grows with the length alone, also for backslashes and quotes", () => {
    for (const unit of ["\\\\", '\\"', "\\u0061", "::", "x"]) {
      const started = performance.now();
      parseStrictJson(`{"a":"${unit.repeat(500_000 / unit.length)}"}`);
      parseStrictJson(`{"a"${" ".repeat(500_000)}:1,"a":2}`);
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });
});
