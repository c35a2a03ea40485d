import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AuditRecord } from "../../src/approvals/events.ts";
import { type Journal, type JournalOptions, openJournal } from "../../src/audit/journal.ts";
import { type Disk, realDisk } from "../../src/audit/segments.ts";
import type { Code } from "../../src/core/codes.ts";
import {
  AUDIT_LINE_BYTES_MAX,
  AUDIT_QUEUE_BYTES_MAX,
  AUDIT_QUEUE_RECORDS_MAX,
  AUDIT_UNAWAITED_MS,
  SYNC_HERE_BYTES_MAX,
  SYNC_HERE_CROWD_MIN,
} from "../../src/core/limits.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { noted, runStarting } from "../support/events.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
let open: Journal[];
beforeEach(() => {
  scratch = scratchDirectory();
  open = [];
});
afterEach(async () => {
  for (const journal of open) await journal.close().catch(() => undefined);
  scratch.remove();
});

async function start(options: Partial<JournalOptions> = {}): Promise<{ readonly journal: Journal; readonly seen: AuditRecord[] }> {
  const seen: AuditRecord[] = [];
  const onRecord = (record: AuditRecord): void => void seen.push(record);
  const opened = await openJournal({ directory: scratch.path, now: () => 1000, snapshot: () => ({}), onRecord, ...options });
  if (!opened.ok) throw new Error(opened.failure.message);
  open.push(opened.value);
  return { journal: opened.value, seen };
}

async function refusal(): Promise<{ readonly code: Code; readonly message: string } | null> {
  const opened = await openJournal({ directory: scratch.path, now: () => 1000, snapshot: () => ({}), onRecord: () => undefined });
  if (!opened.ok) return opened.failure;
  open.push(opened.value);
  return null;
}

const first = (): string => join(scratch.path, "0000000000000001.jsonl");
const segments = (): readonly string[] => readdirSync(scratch.path).filter((name) => name.endsWith(".jsonl"));

describe("appending", () => {
  test("each line holds its number and the hash of the exact bytes of the line before", async () => {
    const { journal } = await start();
    expect(await journal.append(runStarting("ls"))).toEqual({ ok: true, value: { seq: 1, atMs: 1000 } });
    expect(await journal.append(noted({ kind: "ä\u0000\n" }))).toMatchObject({ ok: true, value: { seq: 2 } });
    const lines = readFileSync(first(), "utf8").split("\n");
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ seq: 1, at: 1000, prev: "0".repeat(64), type: "run.starting" });
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ seq: 2, prev: sha256Of(lines[0] ?? "") });
    expect(readFileSync(join(scratch.path, "head"), "utf8")).toBe(`0000000000000002 ${sha256Of(lines[1] ?? "")}\n`);
  });

  test("a record that nobody waits for goes along with the next that somebody does, or alone after a moment", async () => {
    let syncs = 0;
    const disk: Disk = {
      openSegment: async (path, how) => {
        const file = await realDisk.openSegment(path, how);
        return { ...file, sync: () => ((syncs += 1), file.sync()) };
      },
    };
    const { journal, seen } = await start({ disk });
    await journal.append(runStarting("first"));
    const before = syncs;
    journal.appendLater(noted({ kind: "the first has ended" }));
    await journal.append(runStarting("second"));
    expect([syncs - before, seen.map(({ type }) => type)]).toEqual([1, ["run.starting", "security.event", "run.starting"]]);

    journal.appendLater(noted({ kind: "the second has ended" }));
    expect(seen).toHaveLength(3);
    await sleep(AUDIT_UNAWAITED_MS * 5);
    expect([syncs - before, seen.length]).toEqual([2, 4]);
  });

  test("the disk is told whether all who are there wait for it, one alone or a crowd: what nobody waits for does not count", async () => {
    const told: string[] = [];
    const disk: Disk = {
      openSegment: async (path, how) => {
        const file = await realDisk.openSegment(path, how);
        return { ...file, sync: (waitedForBy = "some") => (told.push(waitedForBy), file.sync(waitedForBy)) };
      },
    };
    const { journal } = await start({ disk });
    told.length = 0;
    await journal.append(noted({ kind: "alone" }));
    journal.appendLater(noted({ kind: "goes along" }));
    await journal.append(noted({ kind: "alone again" }));
    await Promise.all([journal.append(noted({})), journal.append(noted({}))]);
    journal.appendLater(noted({ kind: "waited for by nobody" }));
    await sleep(AUDIT_UNAWAITED_MS * 5);
    await Promise.all(Array.from({ length: SYNC_HERE_CROWD_MIN - 1 }, () => journal.append(noted({}))));
    await Promise.all(Array.from({ length: SYNC_HERE_CROWD_MIN }, () => journal.append(noted({}))));
    const long = { text: "x".repeat(SYNC_HERE_BYTES_MAX / SYNC_HERE_CROWD_MIN) };
    await Promise.all(Array.from({ length: SYNC_HERE_CROWD_MIN }, () => journal.append(noted(long))));
    expect(told).toEqual(["all", "all", "some", "some", "some", "all", "some"]);
  });

  test("those who were answered together share the next sync, however many steps each of them takes until it asks", async () => {
    let syncs = 0;
    const disk: Disk = {
      openSegment: async (path, how) => {
        const file = await realDisk.openSegment(path, how);
        return { ...file, sync: () => ((syncs += 1), file.sync()) };
      },
    };
    const { journal } = await start({ disk });
    const ask = async (steps: number): Promise<void> => {
      await journal.append(noted({}));
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      await journal.append(noted({}));
    };
    const before = syncs;
    await Promise.all(Array.from({ length: 8 }, (_, steps) => ask(steps)));
    expect(syncs - before).toBe(2);
  });

  test("whoever looks sees what nobody waited for, too", async () => {
    const { journal } = await start();
    journal.appendLater(noted({ kind: "just now" }));
    expect(await journal.tail({})).toMatchObject({ ok: true, value: { records: [{ details: { kind: "just now" } }] } });
    journal.appendLater(noted({ kind: "and now" }));
    expect(await journal.verify()).toMatchObject({ verdict: "intact", records: 2 });
  });

  test("files are 0600 whatever the umask is", async () => {
    const before = process.umask(0o777);
    try {
      const { journal } = await start();
      await journal.append(noted({}));
    } finally {
      process.umask(before);
    }
    for (const name of readdirSync(scratch.path)) expect([name, statSync(join(scratch.path, name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  test("a record is handed on before its append resolves, and all of them in order", async () => {
    const { journal, seen } = await start();
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => journal.append(noted({ n })).then(() => seen.length > n)));
    expect(outcomes.every(Boolean)).toBe(true);
    expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });

  test("a later start replays exactly what the earlier one saw", async () => {
    const { journal, seen } = await start();
    for (const command of ["ls", "\u202e rm", "\ud800 lone", '{"}\\']) await journal.append(runStarting(command));
    await journal.close();
    const again = await start();
    expect(again.seen).toEqual(seen);
    expect(await again.journal.append(noted({}))).toMatchObject({ ok: true, value: { seq: 5 } });
    expect(again.journal.latestAtMs).toBe(1000);
    expect(await again.journal.verify()).toMatchObject({ verdict: "intact", records: 5, problems: [] });
  });

  test("after close nothing is taken, and what was queued before is durable", async () => {
    const { journal } = await start();
    const queued = Promise.all(Array.from({ length: 50 }, (_, n) => journal.append(noted({ n }))));
    await journal.close();
    expect((await queued).every(({ ok }) => ok)).toBe(true);
    expect(await journal.append(noted({}))).toMatchObject({ ok: false, failure: { code: "shutting-down" } });
    expect((await start()).seen).toHaveLength(50);
  });
});

describe("bounds", () => {
  test("a record longer than a line may be is refused and nothing is written", async () => {
    const { journal } = await start();
    const long = await journal.append(runStarting("x".repeat(AUDIT_LINE_BYTES_MAX)));
    expect(long).toMatchObject({ ok: false, failure: { code: "display.too-long" } });
    expect(statSync(first()).size).toBe(0);
  });

  test("a full queue answers overloaded, and what was queued still becomes durable", async () => {
    const { journal } = await start();
    const outcomes = await Promise.all(Array.from({ length: AUDIT_QUEUE_RECORDS_MAX + 10 }, (_, n) => journal.append(noted({ n }))));
    const refused = outcomes.filter((outcome) => !outcome.ok);
    expect(refused).toHaveLength(10);
    for (const each of refused) expect(each).toMatchObject({ failure: { code: "overloaded" } });
    expect(journal.head().seq).toBe(AUDIT_QUEUE_RECORDS_MAX);
  });

  test("the queue is bounded in bytes too", async () => {
    const { journal } = await start();
    const event = runStarting("x".repeat(AUDIT_LINE_BYTES_MAX - 1000));
    const fits = Math.floor(AUDIT_QUEUE_BYTES_MAX / Buffer.byteLength(JSON.stringify(event)));
    const outcomes = await Promise.all(Array.from({ length: fits + 3 }, () => journal.append(event)));
    expect(outcomes.filter(({ ok }) => !ok)).toHaveLength(3);
  });

  test("records nobody waits for fill half the queue at most, and the rest is counted in a record of its own", async () => {
    const { journal, seen } = await start();
    for (let n = 0; n < AUDIT_QUEUE_RECORDS_MAX; n += 1) journal.appendLater(noted({ n }));
    expect(await journal.append(noted({ waited: 1 }))).toMatchObject({ ok: true });
    await journal.append(noted({}));
    await journal.append(noted({}));
    const told = seen.filter((record) => record.type === "security.event" && record.details["kind"] === "records-dropped");
    expect(told).toMatchObject([{ details: { count: AUDIT_QUEUE_RECORDS_MAX / 2 } }]);
  });
});

describe("rotation", () => {
  test("each segment begins with the live state, old ones go, and the chain stays whole", async () => {
    let live = 0;
    const small = { segmentBytesMax: 2000, segmentsKept: 3, snapshot: () => ({ live }) };
    const { journal } = await start({ ...small, onRecord: () => void (live += 1) });
    for (let n = 0; n < 120; n += 1) await journal.append(noted({ n, text: "x".repeat(100) }));
    expect(segments().length).toBeGreaterThan(2);
    expect(segments().length).toBeLessThan(6);
    expect(segments()).not.toContain("0000000000000001.jsonl");
    expect(await journal.verify()).toMatchObject({ verdict: "intact", problems: [] });
    const before = live;
    await journal.close();
    const again = await start(small);
    const [carried] = again.seen;
    if (carried?.type !== "carried") throw new Error("the newest segment does not begin with the state");
    expect(carried.state["live"]).toBe(before - again.seen.length);
  });

  test("state larger than a segment does not make it rotate for ever", async () => {
    const { journal } = await start({ segmentBytesMax: 500, snapshot: () => ({ much: "x".repeat(5000) }) });
    for (let n = 0; n < 40; n += 1) await journal.append(noted({ n }));
    expect(segments().length).toBeLessThan(25);
    expect(await journal.verify()).toMatchObject({ verdict: "intact" });
  });
});

describe("what a start refuses", () => {
  const broken: readonly { readonly name: string; readonly harm: () => void; readonly says: RegExp }[] = [
    { name: "an edited record", harm: () => edit((text) => text.replace('"n":2', '"n":9')), says: /line 3 .*does not follow/ },
    { name: "an edited last record", harm: () => edit((text) => text.replace('"n":4', '"n":9')), says: /line 4 .*head/ },
    { name: "a deleted record", harm: () => edit((text) => drop(text, 1)), says: /line 2 .*out of order/ },
    { name: "a deleted last record", harm: () => edit((text) => drop(text, 3)), says: /ends with record 3, but record 4/ },
    { name: "half of an acknowledged record", harm: () => edit((text) => text.slice(0, -9)), says: /ends with record 3, but record 4/ },
    {
      name: "a record of an unknown kind",
      harm: () => edit((text) => text.replace("security.event", "security.evemt")),
      says: /line 1 .*not a record/,
    },
    { name: "a missing head", harm: () => writeFileSync(join(scratch.path, "head"), ""), says: /`head` is missing or broken/ },
  ];
  function edit(change: (text: string) => string): void {
    writeFileSync(first(), change(readFileSync(first(), "utf8")));
  }
  function drop(text: string, line: number): string {
    return text.split("\n").toSpliced(line, 1).join("\n");
  }

  test.each(broken)("$name", async ({ harm, says }) => {
    const { journal } = await start();
    for (const n of [1, 2, 3, 4]) await journal.append(noted({ n }));
    await journal.close();
    harm();
    const left = readFileSync(first());
    const refused = await refusal();
    expect(refused?.code).toBe("state.corrupt");
    expect(refused?.message).toMatch(says);
    expect(readFileSync(first()).equals(left)).toBe(true);
  });
});

describe("what a crash leaves", () => {
  const tails: readonly { readonly name: string; readonly tail: string }[] = [
    { name: "half a line", tail: '{"seq":3,"at":10' },
    { name: "blocks that were never written", tail: "\0".repeat(5000) },
    { name: "a hole before a line that was", tail: `${"\0".repeat(300)}"}\n{"seq":4}\n` },
  ];
  test.each(tails)("$name is moved aside, and a recovered record takes its place", async ({ tail }) => {
    const { journal } = await start();
    for (const n of [1, 2]) await journal.append(noted({ n }));
    await journal.close();
    writeFileSync(first(), tail, { flag: "a" });
    const again = await start();
    expect(again.seen.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "security.event"],
      [2, "security.event"],
      [3, "recovered"],
    ]);
    expect(again.seen[2]).toMatchObject({ reason: "torn", tornBytes: tail.length, movedTo: "torn-3" });
    expect(readFileSync(join(scratch.path, "torn-3"), "utf8")).toBe(tail);
    expect(await again.journal.verify()).toMatchObject({ verdict: "intact", records: 3 });
  });
});
