import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RUN_TREE_GONE_WITHIN_MS } from "../../src/core/limits.ts";
import { createLivingRuns } from "../../src/exec/living-runs.ts";
import { loadNative } from "../../src/native/libc.ts";
import { type Lab, newRunId, openLab } from "./launching.ts";

const hasNative = loadNative() !== null;
const TRIALS = Number(process.env["TREE_TRIALS"] ?? 2);

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.stop());

/** Nobody else's: others may be testing on the same machine. */
const LONG = 100_000 + process.pid;

/** Sixty grandchildren, each detached another way: double fork, own session, no marker, ignoring signals. */
const DAEMONS = `
for i in $(seq 15); do
  (sleep ${LONG} &) ; (setsid sleep ${LONG} &) ; (setsid env -i sleep ${LONG} >/dev/null 2>&1 </dev/null &) ; (trap '' TERM HUP INT; setsid sh -c 'sleep ${LONG} & wait' &)
done
echo ready
`;

/** Takes the run's own limit off again, which nothing does by accident. */
const UNMARKED = "prlimit --locks=unlimited";

const sleepers = (): readonly string[] => named(`sleep ${LONG}`);

function named(start: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").startsWith(start);
    } catch {
      return false;
    }
  });
}

function zombies(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const [state, parent] = /^\d+$/.test(pid) ? (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []) : [];
      return state === "Z" && Number(parent) === process.pid;
    } catch {
      return false;
    }
  });
}

describe.runIf(hasNative)("the whole tree of a run (needs native code)", () => {
  test.each(Array.from({ length: TRIALS }, (_, trial) => trial))("is gone after a timeout, sixty daemons included, trial %i", async () => {
    const script = lab.write("daemons.sh", `${DAEMONS}\nsleep ${LONG}\n`);
    const startedAt = performance.now();
    const { result, stdout } = await lab.run(["/bin/sh", script], { io: { timeoutMs: 700 } });
    expect(stdout).toBe("ready\n");
    expect(result).toMatchObject({ ok: true, value: { timedOut: true, cancelled: false, exitCode: null, escaped: [] } });
    expect(performance.now() - startedAt).toBeLessThan(700 + RUN_TREE_GONE_WITHIN_MS);
    expect(sleepers()).toEqual([]);
    expect(zombies()).toEqual([]);
  });

  test("is gone after a cancel, and a command that ignores SIGTERM is no exception", async () => {
    const script = lab.write("daemons.sh", `trap '' TERM\n${DAEMONS}\nwhile :; do sleep ${LONG}; done\n`);
    const controller = new AbortController();
    let text = "";
    const running = lab.run(["/bin/sh", script], {
      io: {
        signal: controller.signal,
        output: (_, bytes) => {
          text += Buffer.from(bytes).toString();
          if (text.includes("ready")) controller.abort();
        },
      },
    });
    const { result } = await running;
    expect(result).toMatchObject({ ok: true, value: { cancelled: true, timedOut: false, signal: "SIGKILL", escaped: [] } });
    expect(sleepers()).toEqual([]);
    expect(zombies()).toEqual([]);
  });

  test("what a command leaves behind when it ends by itself is ended as well", async () => {
    const script = lab.write("daemons.sh", DAEMONS);
    const { result, stdout } = await lab.run(["/bin/sh", script]);
    expect(stdout).toBe("ready\n");
    expect(result).toMatchObject({ ok: true, value: { exitCode: 0, escaped: [] } });
    expect(sleepers()).toEqual([]);
    expect(zombies()).toEqual([]);
  });

  test("a run that ends leaves another run's daemons alone", async () => {
    const script = lab.write("daemons.sh", `${DAEMONS}\nexec sleep ${LONG}\n`);
    const controller = new AbortController();
    const long = lab.run(["/bin/sh", script], { io: { signal: controller.signal } });
    while (sleepers().length < 61) await sleep(20);
    const { result } = await lab.run(["/bin/sh", "-c", `(setsid sleep ${LONG} &) ; exit 3`]);
    expect(result).toMatchObject({ ok: true, value: { exitCode: 3 } });
    expect(sleepers()).toHaveLength(61);
    controller.abort();
    expect(await long).toMatchObject({ result: { value: { cancelled: true, escaped: [] } } });
    expect(sleepers()).toEqual([]);
  });

  test("an orphan that shed its session, its environment and its output is ended with its run, and with no other", async () => {
    const controller = new AbortController();
    const long = lab.run(["/bin/sh", "-c", `(setsid env -i sleep ${LONG} >/dev/null 2>&1 </dev/null &) ; sleep 99`], {
      io: { signal: controller.signal },
    });
    while (sleepers().length < 1) await sleep(20);
    const { result } = await lab.run(["/bin/sh", "-c", `(setsid env -i sleep ${LONG} >/dev/null 2>&1 </dev/null &) ; sleep 0.1`]);
    expect(result).toMatchObject({ ok: true, value: { exitCode: 0, escaped: [] } });
    expect(sleepers()).toHaveLength(1);
    controller.abort();
    await long;
    expect(sleepers()).toEqual([]);
  });

  test.runIf(existsSync("/usr/bin/prlimit"))(
    "an orphan that shed every mark is named by the run that ends first and ended by the last one that could have started it (needs prlimit)",
    async () => {
      const controller = new AbortController();
      const long = lab.run(["/bin/sleep", "99"], { io: { signal: controller.signal } });
      await sleep(100);
      const { result } = await lab.run([
        "/bin/sh",
        "-c",
        `(setsid ${UNMARKED} env -i sleep ${LONG} >/dev/null 2>&1 </dev/null &) ; sleep 0.1`,
      ]);
      expect(result).toMatchObject({ ok: true, value: { exitCode: 0, escaped: [{ name: "sleep" }] } });
      expect(sleepers()).toHaveLength(1);
      controller.abort();
      await long;
      expect(sleepers()).toEqual([]);
    },
  );

  test("an orphan that was there before a run began is none of its business", async () => {
    const controller = new AbortController();
    const long = lab.run(["/bin/sh", "-c", `(setsid env -i sleep ${LONG} >/dev/null 2>&1 </dev/null &) ; sleep 99`], {
      io: { signal: controller.signal },
    });
    while (sleepers().length < 1) await sleep(20);
    await sleep(200);
    expect(await lab.run(["/bin/true"])).toMatchObject({ result: { value: { escaped: [] } } });
    expect(sleepers()).toHaveLength(1);
    controller.abort();
    await long;
    expect(sleepers()).toEqual([]);
  });

  test.runIf(existsSync("/usr/bin/perl"))("is gone although it forks and exits in a loop (needs perl)", async () => {
    const hops = "my $t = time; for (1..4) { next if fork; setsid(); while (time - $t < 20) { exit if fork } exit }";
    const script = lab.write("hops.pl", `use POSIX; $0 = "hopper-${LONG}"; ${hops} print "ready\\n"; sleep 100;\n`);
    const { result } = await lab.run(["/usr/bin/perl", script], { io: { timeoutMs: 500 } });
    expect(result).toMatchObject({ ok: true, value: { timedOut: true, escaped: [] } });
    for (let look = 0; look < 20; look += 1) {
      expect(named(`hopper-${LONG}`)).toEqual([]);
      await sleep(5);
    }
  });

  test("somebody that no run accounts for is found a little later", async () => {
    await lab.run(["/bin/true"]);
    // Slipped in beside every run: a grandchild of ours, which comes to us when its parent ends.
    const middle = spawn("/bin/sh", ["-c", `setsid sleep ${LONG} & exit 0`], { stdio: "ignore" });
    await new Promise((resolve) => middle.once("exit", resolve));
    while (sleepers().length < 1) await sleep(5);
    for (const until = performance.now() + 5_000; sleepers().length > 0 && performance.now() < until; ) await sleep(50);
    expect(sleepers()).toEqual([]);
  });

  test("one that is being started beside us has no mark yet, and is nobody's leftover", () => {
    const runs = createLivingRuns(true, (pid) => pid === 4242);
    const ended = runs.open(newRunId());
    const other = runs.open(newRunId());
    const judge = (pid: number): string => {
      const row = { pid, parent: process.pid, session: 1, startTicks: Number.MAX_SAFE_INTEGER, name: "node", isDead: false };
      return runs.belongingsOf(ended, new Map([[pid, row]]), () => false)(row);
    };
    const isKnown = runs.starting(other);
    expect([runs.isStarting(other), runs.isStarting(ended)]).toEqual([true, false]);
    expect([judge(4242), judge(4243)]).toEqual(["not-ours", "doubtful"]);
    isKnown();
    expect([runs.isStarting(other), judge(4242)]).toEqual([false, "doubtful"]);
  });

  test("a number that was one run's and is now another's is signalled for the other alone", () => {
    const runs = createLivingRuns(true);
    const first = runs.open(newRunId());
    const second = runs.open(newRunId());
    runs.started(first, 4242);
    runs.ended(first, 4242);
    runs.started(second, 4242);
    const row = { pid: 4242, parent: process.pid, session: 4242, startTicks: 0, name: "x", isDead: false };
    const table = new Map([[row.pid, row]]);
    expect(runs.belongingsOf(first, table, () => false)(row)).toBe("not-ours");
    expect(runs.belongingsOf(second, table, () => false)(row)).toBe("ours");
    expect([...first.alive]).toEqual([]);
  });
});

describe("without native code the tree of a run", () => {
  let plain: Lab;
  beforeEach(async () => {
    plain = await openLab(null);
  });
  afterEach(() => plain.stop());

  const MARKED = `for i in $(seq 15); do (sleep ${LONG} &) ; (setsid sleep ${LONG} &) ; done; echo ready`;

  test("is found by session and marker, and is gone after a timeout", async () => {
    const { result, stdout } = await plain.run(["/bin/sh", plain.write("daemons.sh", `${MARKED}\nsleep ${LONG}\n`)], {
      io: { timeoutMs: 700 },
    });
    expect(stdout).toBe("ready\n");
    expect(result).toMatchObject({ ok: true, value: { timedOut: true, escaped: [] } });
    expect(sleepers()).toEqual([]);
  });

  test("is gone after the command, and another run's is left alone", async () => {
    const controller = new AbortController();
    const long = plain.run(["/bin/sh", plain.write("long.sh", `${MARKED}\nsleep ${LONG}\n`)], { io: { signal: controller.signal } });
    while (sleepers().length < 31) await sleep(20);
    await plain.run(["/bin/sh", plain.write("short.sh", MARKED)]);
    expect(sleepers()).toHaveLength(31);
    controller.abort();
    await long;
    expect(sleepers()).toEqual([]);
  });

  test("whoever sheds session and marker is left alone, because it may be anybody's, and named", async ({ skip }) => {
    // With native code this very process has made itself undumpable before, and then its filter is root's to set. test/trees.test.ts plays
    // the same with a daemon of its own.
    skip(!mayBeDumped(), "this process may not be dumped");
    const { result } = await plain.run(["/bin/sh", "-c", `(setsid env -i sleep ${LONG} >/dev/null 2>&1 </dev/null &) ; sleep 0.3`]);
    const [left] = sleepers();
    expect(left).toBeDefined();
    expect(result).toMatchObject({
      ok: true,
      value: { exitCode: 0, escaped: expect.arrayContaining([{ pid: Number(left), name: "sleep" }]) },
    });
    process.kill(Number(left), "SIGKILL");
    while (sleepers().length > 0) await sleep(5);
  });
});

function mayBeDumped(): boolean {
  try {
    accessSync("/proc/self/coredump_filter", constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
