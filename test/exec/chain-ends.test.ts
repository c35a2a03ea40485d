/** Whose descriptors are open when: a command that is started on a closed one gets the next file or connection that took its number. */
import { closeSync, fstatSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CommandStep, Operator, Step } from "../../src/analysis/step.ts";
import { toArgv } from "../../src/core/argv.ts";
import { type ChainWorld, runStep } from "../../src/exec/chain.ts";
import type { Ends } from "../../src/exec/run-streams.ts";
import type { ChildStatus } from "../../src/native/native.ts";
import { SystemError } from "../../src/native/system-error.ts";
import { absolute } from "./launching.ts";

const DONE: ChildStatus = { exitCode: 0, signal: null };
const EMFILE = 24;

function command(name: string): CommandStep {
  const argv = toArgv([name]);
  if (argv === null) throw new Error("no argv");
  const path = absolute(`/bin/${name}`);
  const program = { word: name, linkPath: path, realPath: path, linksAreRoots: true, setId: false };
  return { kind: "command", program, argv, cwd: absolute("/"), script: null, carried: null, interpreters: [] };
}

const chain = (...parts: readonly (readonly [Step, Operator | null])[]): Step => ({
  kind: "chain",
  parts: parts.map(([step, operator]) => ({ step, operator })),
});

/** Real descriptors, and processes that end when they are told. */
function stage(pipesMax = Number.POSITIVE_INFINITY) {
  const started: { readonly name: string; readonly outputIsOpen: boolean }[] = [];
  const running = new Map<string, (status: ChildStatus) => void>();
  const opened: number[] = [];
  const background = new Set<Promise<unknown>>();
  const gaveUp: unknown[] = [];
  const isOpen = (fd: number): boolean => {
    try {
      return fstatSync(fd).rdev === fstatSync(nothing).rdev;
    } catch {
      return false;
    }
  };
  const nothing = openSync("/dev/null", "r+");
  const world: ChainWorld = {
    start(step, ends: Ends, begun) {
      started.push({ name: step.argv[0], outputIsOpen: ends.stdout === "output" || isOpen(ends.stdout) });
      begun();
      return new Promise((resolve) => running.set(step.argv[0], resolve));
    },
    inBackground: (list) => void background.add(list),
    pipe() {
      if (opened.length / 2 >= pipesMax) throw new SystemError("pipe2", EMFILE);
      const pipe = { readEnd: openSync("/dev/null", "r"), writeEnd: openSync("/dev/null", "w") };
      opened.push(pipe.readEnd, pipe.writeEnd);
      return pipe;
    },
    nothing,
    isEnding: () => gaveUp.length > 0,
    giveUp(why) {
      gaveUp.push(why);
      for (const end of running.values()) end({ exitCode: null, signal: 9 });
    },
  };
  return {
    world,
    started,
    gaveUp,
    ends: { stdin: nothing, stdout: "output" } as const,
    end: async (name: string): Promise<void> => {
      running.get(name)?.(DONE);
      await sleep(5);
    },
    stillOpen: () => opened.filter(isOpen),
    close: () => closeSync(nothing),
  };
}

describe("a list in the background of a shell in a pipeline", () => {
  test("has its pipe until its last command was started, when the shell itself is long over", async () => {
    const { world, started, ends, end, stillOpen, close } = stage();
    const shell = chain([command("sleep"), "&&"], [command("echo"), "&"]);
    const status = runStep(chain([shell, "|"], [command("cat"), null]), ends, world);
    await sleep(5);
    expect(started.map(({ name }) => name)).toEqual(["sleep", "cat"]);
    await end("sleep");
    expect(started.at(-1)).toEqual({ name: "echo", outputIsOpen: true });
    await end("echo");
    expect(stillOpen()).toEqual([]);
    await end("cat");
    expect(await status).toEqual(DONE);
    close();
  });

  test("and lets go of what it could have read when it is over itself: its list reads nothing, and the writer must hear of it", async () => {
    const { world, started, ends, end, stillOpen, close } = stage();
    const shell = chain([command("sleep"), "&&"], [command("true"), "&"]);
    const status = runStep(chain([command("yes"), "|"], [shell, null]), ends, world);
    await sleep(5);
    expect([started.map(({ name }) => name), stillOpen()]).toEqual([["yes", "sleep"], []]);
    await end("yes");
    await end("sleep");
    await end("true");
    expect(await status).toEqual(DONE);
    close();
  });

  test("also where that shell was started in the background of another, which was over before", async () => {
    const { world, started, ends, end, stillOpen, close } = stage();
    const inner = chain([command("first"), ";"], [command("sleep"), "&&"], [command("echo"), "&"]);
    const status = runStep(chain([chain([inner, "&"]), "|"], [command("cat"), null]), ends, world);
    await sleep(5);
    await end("first");
    await end("sleep");
    expect(started.at(-1)).toEqual({ name: "echo", outputIsOpen: true });
    await end("echo");
    await end("cat");
    expect([await status, stillOpen()]).toEqual([DONE, []]);
    close();
  });
});

describe("a pipe that cannot be had", () => {
  test("ends the run, is told when everybody has ended, and leaves nothing open and nobody unheard", async () => {
    const { world, ends, gaveUp, stillOpen, close } = stage(1);
    const nested = chain([command("a"), "|"], [command("b"), null]);
    const running = runStep(chain([nested, "|"], [command("c"), "|"], [command("d"), null]), ends, world);
    await expect(running).rejects.toMatchObject({ code: "EMFILE" });
    expect(gaveUp.length).toBeGreaterThan(0);
    expect(stillOpen()).toEqual([]);
    close();
  });

  test("nor can a start in the background fail unheard", async () => {
    const { world, ends, gaveUp, close } = stage();
    const start = (): Promise<ChildStatus> => Promise.reject(new Error("no memory"));
    await runStep(chain([command("a"), "&"], [{ kind: "nothing" }, null]), ends, { ...world, start });
    await sleep(5);
    expect(gaveUp).toEqual([new Error("no memory")]);
    close();
  });

  test("in the background ends the run as well", async () => {
    const { world, ends, gaveUp, end, stillOpen, close } = stage(0);
    const status = runStep(chain([command("a"), "|"], [command("b"), "&"], [command("c"), null]), ends, world);
    await end("c");
    expect([(await status).exitCode, gaveUp.length > 0, stillOpen()]).toEqual([null, true, []]);
    close();
  });
});
