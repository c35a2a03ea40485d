import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type JsonValue } from "../../src/core/json.ts";
import { type ExecDocument, parseDocument } from "../../src/policy/document.ts";
import { renderDocument } from "../../src/policy/render-document.ts";

function documentOf(members: object): ExecDocument | null {
  const parsed = parseDocument(JSON.stringify({ version: 1, ...members }));
  return parsed.ok ? parsed.value : null;
}

test("the pieces of a document are what JSON.stringify says of it, whatever unknown keys it holds", () => {
  const anything = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 }));
  fc.assert(
    fc.property(anything, anything, fc.array(fc.record({ pattern: fc.string(), note: fc.jsonValue() })), (root, agent, allowlist) => {
      const document = documentOf({ ...root, agents: { main: { note: agent, allowlist } } });
      fc.pre(document !== null);
      expect(renderDocument(document)).toBe(`${JSON.stringify(document.raw, null, 2)}\n`);
    }),
  );
});

test.each<JsonValue>([{}, { agents: {} }, { agents: { main: { allowlist: [] } } }, { note: "two\nlines" }, { list: [[], {}, [[{}]]] }])(
  "empty and nested members are rendered alike: %j",
  (members) => {
    const document = isJsonObject(members) ? documentOf(members) : null;
    expect(document === null ? "" : renderDocument(document)).toBe(`${JSON.stringify(document?.raw, null, 2)}\n`);
  },
);
