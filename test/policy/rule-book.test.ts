import { expect, test } from "vitest";
import type { Machine } from "../../src/analysis/machine.ts";
import { LINKS_CHECKED_MAX } from "../../src/core/limits.ts";
import { withUses } from "../../src/policy/document-edit.ts";
import { createRuleBook } from "../../src/policy/rule-book.ts";
import { agent, documentOf } from "./judging.ts";
import { tableMachine } from "./table-machine.ts";

const DOCUMENT = documentOf({ version: 1, agents: { main: { allowlist: ["/opt/tool/current/bin/tool"] } } });

test("rules are compiled once for a document and an agent", async () => {
  const book = createRuleBook();
  const machine = tableMachine();
  const main = await book(DOCUMENT, agent("main"), machine);
  expect(await book(DOCUMENT, agent("main"), machine)).toBe(main);
  expect(await book(DOCUMENT, agent("ops"), machine)).not.toBe(main);
  expect(await book(documentOf({ version: 1 }), agent("main"), machine)).not.toBe(main);
});

test("rules outlive the writing down of a use, which decides nothing", async () => {
  const book = createRuleBook();
  const main = await book(DOCUMENT, agent("main"), tableMachine());
  const [entry] = DOCUMENT.agents.get("main")?.allowlist ?? [];
  const used = withUses(DOCUMENT, [{ key: entry?.key ?? "", at: 1, command: "tool", resolvedPath: "/opt/tool/current/bin/tool" }]);
  expect(used).not.toBe(DOCUMENT);
  expect(await book(used, agent("main"), tableMachine())).toBe(main);
});

test("and are made again when a link in a pattern's directory was moved", async () => {
  const book = createRuleBook();
  const at = (version: string) => tableMachine({ links: { "/opt/tool/current": version } });
  const first = await book(DOCUMENT, agent("main"), at("v1"));
  expect(first.paths.matching("/opt/tool/v1/bin/tool")).toHaveLength(1);
  const second = await book(DOCUMENT, agent("main"), at("v2"));
  expect(second.paths.matching("/opt/tool/v1/bin/tool")).toHaveLength(0);
  expect(second.paths.matching("/opt/tool/v2/bin/tool")).toHaveLength(1);
});

test("a machine is asked once for each directory, and about nothing below one that is not there", async () => {
  let asked = 0;
  const machine: Machine = {
    ...tableMachine(),
    realPath: (where) => {
      asked += 1;
      return where.startsWith("/gone") ? null : where;
    },
  };
  const allowlist = Array.from({ length: 1000 }, (_, n) => [`/usr/bin/t${n}`, `/gone/d${n}/t`]).flat();
  await createRuleBook()(documentOf({ version: 1, agents: { main: { allowlist } } }), agent("main"), machine);
  expect(asked).toBe(["/", "/usr", "/usr/bin", "/gone"].length);
});

test(`at most ${LINKS_CHECKED_MAX} links are looked at again for each command`, async () => {
  const count = LINKS_CHECKED_MAX + 10;
  const links = Object.fromEntries(Array.from({ length: count }, (_, n) => [`/l${n}`, `/r${n}`]));
  const allowlist = Array.from({ length: count }, (_, n) => `/l${n}/tool`);
  const document = documentOf({ version: 1, agents: { main: { allowlist } } });
  const book = createRuleBook();
  const plain = tableMachine({ links });
  await book(document, agent("main"), plain);
  let asked = 0;
  const counting: Machine = {
    ...plain,
    realPath: (where) => {
      asked += 1;
      return plain.realPath(where);
    },
  };
  await book(document, agent("main"), counting);
  expect(asked).toBe(LINKS_CHECKED_MAX);
});
