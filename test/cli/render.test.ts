import { describe, expect, test } from "vitest";
import { counted } from "../../src/cli/counted.ts";
import { painter } from "../../src/cli/paint.ts";
import { hashLines } from "../../src/cli/render-command.ts";
import { errorLines } from "../../src/cli/render-error.ts";
import { tableLines } from "../../src/cli/table.ts";
import { CallError } from "../../src/client/call-error.ts";

const PLAIN = painter(false);
const HASH = "0123456789abcdef".repeat(4);

describe("a number", () => {
  test.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [2, "2 bytes"],
  ])("%d has the noun that goes with it", (value, text) => {
    expect(counted(value, "byte")).toBe(text);
  });
});

describe("a hash", () => {
  test.each([75, 76, 78, 80, 120])("stands on one line in %d columns", (columns) => {
    const [line = "", ...rest] = hashLines(HASH, columns, PLAIN);
    expect(line).toMatch(/^ {4}sha256 +[0-9a-f]{64}$/);
    expect(line.length).toBeLessThanOrEqual(columns);
    expect(rest).toEqual([]);
  });

  test.each([
    { columns: 74, rows: 2 },
    { columns: 60, rows: 2 },
    { columns: 40, rows: 4 },
  ])("is folded into $rows rows of one length in $columns columns", ({ columns, rows }) => {
    const lines = hashLines(HASH, columns, PLAIN);
    expect(lines).toHaveLength(rows);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines.map((line) => line.replace("sha256", "").trim()).join("")).toBe(HASH);
  });
});

describe("a table", () => {
  const rows = [
    ["3f2c9a1e", "main", "/srv/app/releases/current/deploy.sh  (one command, while unchanged)"],
    ["-", "ops", "/bin/ls"],
  ];

  test("folds its last column under itself", () => {
    expect(tableLines(["ID", "AGENT", "WHAT"], rows, PLAIN, 56)).toEqual([
      "ID        AGENT  WHAT",
      "3f2c9a1e  main   /srv/app/releases/current/deploy.sh",
      "                 (one command, while unchanged)",
      "-         ops    /bin/ls",
    ]);
  });

  test("on a narrow screen goes on below the row, and in a file on one line", () => {
    expect(tableLines(["ID", "AGENT", "WHAT"], rows, PLAIN, 40).slice(1, 3)).toEqual([
      "3f2c9a1e  main",
      "    /srv/app/releases/current/deploy.sh",
    ]);
    expect(tableLines(["ID", "AGENT", "WHAT"], rows, PLAIN, Number.POSITIVE_INFINITY)[1]).toBe(`3f2c9a1e  main   ${rows[0]?.[2]}`);
  });
});

describe("a refusal", () => {
  test("says what to type next, unless its own sentence does", () => {
    const next = (message: string): readonly string[] =>
      errorLines(new CallError("state.corrupt", message), PLAIN, Number.POSITIVE_INFINITY).filter((line) => line.startsWith("  next"));
    expect(next("the document is broken")).toEqual(["  next countersign doctor says where it is broken"]);
    expect(next("line 5 was edited; run `countersign audit verify`")).toEqual([]);
  });
});
