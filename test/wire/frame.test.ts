import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REQUEST_ID_CHARS_MAX } from "../../src/core/limits.ts";
import { parseFrame } from "../../src/wire/frame.ts";

const REFUSED: readonly { readonly line: string; readonly code: string; readonly id: string | number | null; readonly why: string }[] = [
  { line: "null", code: "wire.not-an-object", id: null, why: "some readers take it for the end of the stream" },
  { line: "1", code: "wire.not-an-object", id: null, why: "a number is no call" },
  { line: "[]", code: "wire.not-an-object", id: null, why: "no batches" },
  { line: '[{"jsonrpc":"2.0","id":1,"method":"status"}]', code: "wire.not-an-object", id: null, why: "no batches" },
  { line: "", code: "wire.bad-json", id: null, why: "an empty line says nothing" },
  { line: "{}", code: "wire.invalid-params", id: null, why: "nobody to answer" },
  { line: '{"jsonrpc":"2.0","method":"status"}', code: "wire.invalid-params", id: null, why: "calls without an answer are not taken" },
  {
    line: '{"jsonrpc":"2.0","id":null,"method":"status"}',
    code: "wire.invalid-params",
    id: null,
    why: "null is the id of errors without one",
  },
  { line: '{"jsonrpc":"2.0","id":[1],"method":"status"}', code: "wire.invalid-params", id: null, why: "no id" },
  {
    line: '{"jsonrpc":"2.0","id":9007199254740993,"method":"status"}',
    code: "wire.invalid-params",
    id: null,
    why: "it would come back changed",
  },
  { line: '{"jsonrpc":"2.0","id":7,"method":"status","x":1}', code: "wire.unknown-field", id: 7, why: "unknown members are refused" },
  { line: '{"jsonrpc":"2.0","id":7,"result":{}}', code: "wire.unknown-field", id: 7, why: "the daemon asks nothing" },
  { line: '{"id":7,"method":"status"}', code: "wire.invalid-params", id: 7, why: "no version" },
  { line: '{"jsonrpc":2.0,"id":7,"method":"status"}', code: "wire.invalid-params", id: 7, why: "the version is a string" },
  { line: '{"jsonrpc":"2.0","id":"a","method":7}', code: "wire.invalid-params", id: "a", why: "a method has a name" },
  { line: '{"jsonrpc":"2.0","id":"a","method":"status","params":[]}', code: "wire.invalid-params", id: "a", why: "by name only" },
  { line: '{"jsonrpc":"2.0","id":"a","method":"status","params":null}', code: "wire.invalid-params", id: "a", why: "by name only" },
  { line: '{"jsonrpc":"2.0","id":1,"id":2,"method":"status"}', code: "wire.duplicate-key", id: null, why: "which one?" },
  { line: '{"jsonrpc":"2.0","type":"request","id":1}', code: "wire.unknown-field", id: 1, why: "with jsonrpc it is no dialect" },
  { line: '{"type":["request"],"id":"1"}', code: "wire.unknown-field", id: "1", why: "only a string names a dialect" },
];

describe("frames", () => {
  test.each(REFUSED)("$line is refused: $why", ({ line, code, id }) => {
    expect(parseFrame(line)).toMatchObject({ ok: false, failure: { id, denial: { code } } });
  });

  test("an id as long as the bound is kept, a longer one is not echoed", () => {
    const line = (id: string): string => JSON.stringify({ jsonrpc: "2.0", id, method: "status" });
    expect(parseFrame(line("x".repeat(REQUEST_ID_CHARS_MAX)))).toMatchObject({ ok: true });
    expect(parseFrame(line("x".repeat(REQUEST_ID_CHARS_MAX + 1)))).toMatchObject({ ok: false, failure: { id: null } });
  });

  test("a string type without jsonrpc is the other dialect, whatever else it holds", () => {
    expect(parseFrame('{"type":"request","id":"1","anything":{}}')).toMatchObject({
      ok: true,
      value: { kind: "dialect", type: "request" },
    });
  });

  test("what is printed is read back the same", () => {
    const id = fc.oneof(fc.string({ maxLength: REQUEST_ID_CHARS_MAX, unit: "grapheme" }), fc.maxSafeInteger());
    const params = fc.dictionary(
      fc.string({ unit: "grapheme" }),
      fc.oneof(fc.integer(), fc.string({ unit: "grapheme" }), fc.constant(null)),
    );
    fc.assert(
      fc.property(id, fc.string({ unit: "grapheme" }), params, (id, method, params) => {
        const read = parseFrame(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
        if (Object.keys(params).some((key) => ["__proto__", "constructor", "prototype"].includes(key))) expect(read.ok).toBe(false);
        else expect(read).toEqual({ ok: true, value: { kind: "request", id, method, params } });
      }),
      { numRuns: 300 },
    );
  });

  test("no line throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (line) => {
        parseFrame(line);
      }),
      { numRuns: 500 },
    );
  });
});
