import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { denial } from "../../src/core/denial.ts";
import { LEFTOVERS_GRACE_MS, OUTPUT_CHUNK_BYTES, RUN_TREE_GONE_WITHIN_MS } from "../../src/core/limits.ts";
import { fail, ok } from "../../src/core/result.ts";
import { loadNative } from "../../src/native/libc.ts";
import { type Lab, openLab } from "./launching.ts";

const never = new Promise<void>(() => undefined);

describe.each(loadNative() === null ? ["pinned"] : ["sealed", "pinned"])("at the level %s a run is watched to its end", (level) => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab(level === "sealed" ? loadNative() : null);
  });
  afterEach(() => lab.stop());

  test("nothing starts where its use could not be made durable, and nothing stays open for it", async () => {
    const before = readdirSync("/proc/self/fd").length;
    const refused = fail(denial("state.io", "the disk is full"));
    const { result } = await lab.run(["/usr/bin/touch", "started"], { io: { mayStart: Promise.resolve(refused) } });
    expect(result).toMatchObject({ ok: false, failure: { code: "state.io" } });
    expect(existsSync(join(lab.root, "work", "started"))).toBe(false);
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });

  test("nothing starts for a caller who left while the disk was at work", async () => {
    const controller = new AbortController();
    const mayStart = sleep(20).then(() => {
      controller.abort();
      return ok(undefined);
    });
    const { result } = await lab.run(["/usr/bin/touch", "started"], { io: { mayStart, signal: controller.signal } });
    expect(result).toMatchObject({ ok: false, failure: { code: "exec.cancelled" } });
    expect(existsSync(join(lab.root, "work", "started"))).toBe(false);
  });

  test("output is handed on while the command still runs", async () => {
    const controller = new AbortController();
    let seen = "";
    const { result } = await lab.run(["/bin/sh", "-c", "echo first; sleep 60"], {
      io: {
        signal: controller.signal,
        output: (_, bytes) => {
          seen += Buffer.from(bytes).toString();
          controller.abort();
        },
      },
    });
    expect(seen).toBe("first\n");
    expect(result).toMatchObject({ ok: true, value: { cancelled: true, signal: "SIGTERM" } });
  });

  test("a reader who takes nothing more holds the command up, and the timeout ends both", async () => {
    let handed = 0;
    const startedAt = performance.now();
    const { result } = await lab.run(["/usr/bin/yes"], {
      io: {
        timeoutMs: 400,
        output: (_, bytes) => {
          handed += bytes.length;
          return never;
        },
      },
    });
    expect(result).toMatchObject({ ok: true, value: { timedOut: true, escaped: [] } });
    // What Node itself had read already may come once more.
    expect(handed).toBeLessThanOrEqual(2 * OUTPUT_CHUNK_BYTES);
    expect(performance.now() - startedAt).toBeLessThan(400 + RUN_TREE_GONE_WITHIN_MS);
  });

  test("a slow reader gets everything, in order, however late", async () => {
    const pieces: string[] = [];
    const { result } = await lab.run(["/usr/bin/seq", "1", "60000"], {
      io: {
        output: async (_, bytes) => {
          await sleep(3);
          pieces.push(Buffer.from(bytes).toString());
        },
      },
    });
    expect(result).toMatchObject({ ok: true, value: { exitCode: 0 } });
    expect(pieces.join("")).toBe(Array.from({ length: 60000 }, (_, at) => `${at + 1}\n`).join(""));
  });

  test("a reader that fails is forgotten and holds nobody up", async () => {
    const { result } = await lab.run(["/usr/bin/seq", "1", "60000"], { io: { output: () => Promise.reject(new Error("gone")) } });
    expect(result).toMatchObject({ ok: true, value: { exitCode: 0, timedOut: false } });
  });

  test("both streams come whole, and empty output is no output", async () => {
    const { stdout, stderr } = await lab.run(["/bin/sh", "-c", "seq 1 30000; seq 1 30000 >&2"]);
    expect([stdout.length, stderr.length]).toEqual([168_894, 168_894]);
    expect(await lab.run(["/bin/true"])).toMatchObject({ stdout: "", stderr: "" });
  });

  test("what is left in the background may finish its last words, for a moment", async () => {
    const startedAt = performance.now();
    const { stdout } = await lab.run(["/bin/sh", "-c", "(sleep 0.05; echo late) & echo now"]);
    expect(stdout).toBe("now\nlate\n");
    expect(performance.now() - startedAt).toBeLessThan(LEFTOVERS_GRACE_MS + 1000);
    expect(await lab.run(["/bin/sh", "-c", "(sleep 30; echo late) & echo now"])).toMatchObject({ stdout: "now\n" });
  });

  test("a command that is asked to end may put its things in order, and its last words are heard", async () => {
    const controller = new AbortController();
    let text = "";
    const script = "trap 'seq 1 9000; echo bye; exit 3' TERM; echo ready; while :; do sleep 0.02; done";
    const { result } = await lab.run(["/bin/sh", "-c", script], {
      io: {
        signal: controller.signal,
        output: (stream, bytes) => {
          // The shell itself may say on the other stream how its command died.
          if (stream === "stdout") text += Buffer.from(bytes).toString();
          if (text.startsWith("ready")) controller.abort();
        },
      },
    });
    expect(result).toMatchObject({ ok: true, value: { cancelled: true, exitCode: 3, signal: null } });
    expect(text.endsWith("9000\nbye\n")).toBe(true);
  });

  test("cancelled before the start, nothing is started", async () => {
    const controller = new AbortController();
    controller.abort();
    const mark = lab.write("mark", "untouched");
    const { result } = await lab.run(["/bin/rm", mark], { io: { signal: controller.signal } });
    expect(result).toMatchObject({ ok: false, failure: { code: "exec.cancelled" } });
    expect(readdirSync(`${lab.root}/work`)).toContain("mark");
  });

  test("stopping ends what runs and starts nothing more", async () => {
    const running = lab.run(["/bin/sleep", "60"]);
    await sleep(50);
    await lab.host.stop();
    expect(await running).toMatchObject({ result: { ok: true, value: { cancelled: true, signal: "SIGTERM" } } });
    expect(await lab.run(["/bin/true"])).toMatchObject({ result: { ok: false, failure: { code: "shutting-down" } } });
  });

  test("a hundred runs, some of which fail, leave no descriptor behind", async () => {
    const open = (): number => readdirSync("/proc/self/fd").length;
    const script = lab.write("script.sh", "echo hello\n");
    const rounds = async (): Promise<void> => {
      const huge = { env: { HUGE: "x".repeat(3_000_000) } };
      for (let at = 0; at < 10; at += 1) {
        await Promise.all([
          lab.run(["/bin/sh", script]),
          lab.run("echo a | cat && false || echo b"),
          lab.run(["/bin/cat"], { io: { stdin: Buffer.from("input") } }),
          lab.run(["/bin/true"], huge),
          lab.run(["/bin/sleep", "5"], { io: { timeoutMs: 1 } }),
        ]);
      }
    };
    await rounds();
    await sleep(50);
    const before = open();
    await rounds();
    await sleep(50);
    expect(open()).toBeLessThanOrEqual(before);
  });

  test("what the kernel will not start is a refusal with its reason, and nothing ran", async () => {
    const { result } = await lab.run(["/bin/true"], { env: { HUGE: "x".repeat(3_000_000) } });
    expect(result).toMatchObject({ ok: false, failure: { code: "exec.spawn-failed", details: { errno: "E2BIG" } } });
  });
});
