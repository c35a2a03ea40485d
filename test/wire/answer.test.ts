import { describe, expect, test } from "vitest";
import { CODES, isCode } from "../../src/core/codes.ts";
import { denial } from "../../src/core/denial.ts";
import { LINE_BYTES_MAX } from "../../src/core/limits.ts";
import { errorLine, notificationLine, resultLine } from "../../src/wire/answer.ts";

const read = (line: Buffer): unknown => {
  const text = line.toString("utf8");
  expect(text.indexOf("\n")).toBe(text.length - 1);
  return JSON.parse(text);
};
const padded = (bytes: number): Buffer => {
  const bare = resultLine(1, { pad: "" }).length - 1;
  return resultLine(1, { pad: "x".repeat(bytes - bare) });
};

describe("answers", () => {
  test("a result carries the id it answers", () => {
    expect(read(resultLine("a\nb", { x: "\n" }))).toEqual({ jsonrpc: "2.0", id: "a\nb", result: { x: "\n" } });
  });

  test.each(Object.keys(CODES).filter(isCode))("%s travels as the stable code beside an integer", (code) => {
    expect(read(errorLine(null, denial(code, "why", { path: "x", code: "ok" })))).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: CODES[code].rpc, message: "why", data: { code, path: "x" } },
    });
  });

  test("a line as long as the limit goes out, one byte more becomes an error", () => {
    expect(padded(LINE_BYTES_MAX).length).toBe(LINE_BYTES_MAX + 1);
    expect(read(padded(LINE_BYTES_MAX))).toHaveProperty("result");
    expect(read(padded(LINE_BYTES_MAX + 1))).toMatchObject({ id: 1, error: { data: { code: "internal", limit: LINE_BYTES_MAX } } });
  });

  test("details that would overflow the line are left out, the code never is", () => {
    const line = errorLine(1, denial("approval.required", "ask first", { plan: "x".repeat(LINE_BYTES_MAX) }));
    expect(read(line)).toMatchObject({ error: { data: { code: "approval.required", detailsOmitted: true } } });
  });

  test("a notification has no id, and an overlong one is refused rather than sent", () => {
    const line = notificationLine("exec.started", { runId: "r" });
    expect(line.ok && read(line.value)).toEqual({ jsonrpc: "2.0", method: "exec.started", params: { runId: "r" } });
    expect(notificationLine("x", { data: "é".repeat(LINE_BYTES_MAX / 2) })).toMatchObject({ ok: false });
  });
});
