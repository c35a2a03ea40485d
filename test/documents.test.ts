import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { SHARED_FLAGS } from "../src/cli/flags.ts";
import { parseSettings } from "../src/config/settings.ts";
import { CODES } from "../src/core/codes.ts";
import { defaultDocument, parseDocument } from "../src/policy/document.ts";
import { ledgerTable, withTable } from "./documents/tables.ts";
import { documents } from "./documents/written.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

describe("the root documents", () => {
  test.each(documents(ROOT))("$path holds its tables as the code has them; otherwise run make documents", ({ found, expected }) => {
    expect(found).toBe(expected);
  });

  test("README lists every code with its exit code, and no other", () => {
    const rows = [...read("README.md").matchAll(/^\| `([a-z0-9.-]+)` \| (\d+) \| .+ \|$/gm)].map(([, code, exit]) => [code, Number(exit)]);
    expect(rows).toEqual(Object.entries(CODES).map(([code, { exit }]) => [code, exit]));
  });

  test("every test that the ledger names is an attack that is played", () => {
    const attacks: readonly { readonly id: string }[] = JSON.parse(read("fixtures/attacks/attacks.json"));
    const known = new Set(attacks.map(({ id }) => id));
    const named = [...read("SECURITY.md").matchAll(/^\| (?:CVE|GHSA)-\S+ \| .+ \| ([A-Z0-9 -]+) \|$/gm)].flatMap(([, ids = ""]) =>
      ids.split(" "),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    expect(read("test/attacks.test.ts")).toContain("attacks.json");
  });

  test.each(["README.md", "SECURITY.md", "ARCHITECTURE.md"])("every file that %s points to exists", (name) => {
    const targets = [...read(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(name), target)))).toEqual([]);
  });

  test("every command that the documents tell people to type exists, with its flags", () => {
    const text = ["README.md", "docs/service-account.md", "docs/hooks.md"].map(read).join("\n");
    const typed = [...text.matchAll(/^(?:sudo )?countersign ([^#\n]+)/gm)].map(([, words = ""]) => words.trim().split(/\s+/));
    expect(typed.length).toBeGreaterThan(8);
    const missing = typed.flatMap((words) => {
      const command = COMMANDS.find(({ name }) => name === words.slice(0, 2).join(" ")) ?? COMMANDS.find(({ name }) => name === words[0]);
      if (command === undefined) return [words.join(" ")];
      const own = words.slice(0, words.includes("--") ? words.indexOf("--") : words.length);
      const flags = own.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
      return flags.filter((flag) => !Object.hasOwn({ ...command.flags, ...SHARED_FLAGS }, flag)).map((flag) => `${command.name} --${flag}`);
    });
    expect(missing).toEqual([]);
  });

  test("every source file that ARCHITECTURE walks through exists, and so does every make target that is named", () => {
    const text = read("ARCHITECTURE.md");
    const rows = [...text.matchAll(/^\| `([a-z]+\/)` \|.* \| `([a-z0-9-]+\.ts)` \|$/gm)].map(([, folder = "", file = ""]) => folder + file);
    const walked = [...text.matchAll(/\*\*([a-z-]+\/[a-z0-9/-]*(?:\.ts)?)\*\*/g)].map(([, path = ""]) => path);
    expect([rows.length, walked.length > 20]).toEqual([16, true]);
    expect([...rows, ...walked].filter((path) => !existsSync(join(ROOT, "src", path)))).toEqual([]);
    const makefile = read("Makefile");
    const targets = [...(text + read("README.md")).matchAll(/(?:^|`|sudo )make ([a-z-]+)/gm)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !new RegExp(`^${target}:`, "m").test(makefile))).toEqual([]);
  });

  test("both files that README shows load, and do what it says of them", async () => {
    const example = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(read("README.md"))?.[1] ?? "";
    const settings = parseSettings(example("json5"), "countersign.json5");
    expect([settings.ok, settings.ok ? settings.value.warnings : settings.failure.message]).toEqual([true, []]);
    const document = parseDocument(example("json"));
    expect(document.ok && [...document.value.agents.keys()]).toEqual(["main", "ci"]);
    const made = defaultDocument("/run/x.sock", "token");
    expect(document.ok && document.value.defaults).toEqual({ ...made.defaults, autoAllowSkills: null });
  });

  test("README says things in the order a reader needs them", () => {
    const headings = [...read("README.md").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      "countersign",
      "What it is not",
      "Five minutes",
      "How a request travels",
      "Why it said no",
      "Configuration",
      "Security",
    ]);
  });
});

describe("the generated tables", () => {
  test("a table takes the place of the old one and of nothing else", () => {
    const page = "above\n<!-- codes: how -->\nold\n<!-- end of codes -->\nbelow\n";
    expect(withTable(page, "codes", "new")).toBe("above\n<!-- codes: how -->\n\nnew\n\n<!-- end of codes -->\nbelow\n");
  });

  test("a page without a place for it is an error and not a silent omission", () => {
    expect(() => withTable("nothing here", "codes", "new")).toThrow("no place");
  });

  test("an advisory with several attacks is one row, the newest first", () => {
    const attack = (id: string, source: string) => ({ id, title: `t${id}`, source });
    expect(ledgerTable([attack("A-1", "GHSA-aaaa-bbbb-cccc"), attack("A-2", "CVE-2020-1"), attack("A-3", "CVE-2026-9 (CVE-2020-1)")])).toBe(
      [
        "| advisory | what it was | tests |",
        "| --- | --- | --- |",
        "| CVE-2026-9 | tA-3 | A-3 |",
        "| CVE-2020-1 | tA-2; tA-3 | A-2 A-3 |",
        "| GHSA-aaaa-bbbb-cccc | tA-1 | A-1 |",
      ].join("\n"),
    );
  });
});
