import { describe, expect, test } from "vitest";
import { parseRecord } from "../../../src/approvals/parse-record.ts";
import { recordWriter } from "../../../src/cli/audit/render-record.ts";
import { painter } from "../../../src/cli/paint.ts";
import type { JsonObject } from "../../../src/core/json.ts";

const FINISHED: JsonObject = {
  seq: 7,
  at: 0,
  prev: "0".repeat(64),
  type: "run.finished",
  runId: "a0a0a0a0-b1b1-4c2c-8d3d-e4e4e4e4e4e4",
  exitCode: null,
  signal: null,
  timedOut: false,
  cancelled: false,
  durationMs: 0,
  enforcement: "none",
  code: null,
};

/** Why: what the log says of a run must tell one that never was from one that was cut short, and name whoever it left. */
const ENDS: readonly { readonly name: string; readonly members: JsonObject; readonly reads: string }[] = [
  { name: "by itself", members: { exitCode: 3, durationMs: 12 }, reads: "exit 3 after 12 ms" },
  { name: "before it began", members: { code: "exec.not-found" }, reads: "not started (exec.not-found) after 0 ms" },
  {
    name: "half-way",
    members: { signal: "SIGKILL", durationMs: 12, code: "exec.spawn-failed" },
    reads: "SIGKILL (exec.spawn-failed) after 12 ms",
  },
  {
    name: "leaving somebody",
    members: { exitCode: 0, durationMs: 12, escaped: [{ pid: 41, name: "sleep\u001b[2J" }] },
    reads: "exit 0 after 12 ms, could not end sleep\\x1b[2J (41)",
  },
];

describe("a run that ended", () => {
  test.each(ENDS)("$name is read back and said in a line", ({ members, reads }) => {
    const record = { ...FINISHED, ...members };
    expect(parseRecord(JSON.stringify(record)).ok).toBe(true);
    expect(recordWriter(painter(false), null).lines(record)[0]).toContain(`run a0a0a0a0  ${reads}`);
  });

  test("is no record when whoever it left has no number", () => {
    expect(parseRecord(JSON.stringify({ ...FINISHED, escaped: [{ name: "x" }] })).ok).toBe(false);
  });
});
