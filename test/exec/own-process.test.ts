import { closeSync, openSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ok } from "../../src/core/result.ts";
import { childLimitOf } from "../../src/exec/child-limit.ts";
import { openNativeStreams, openNothing } from "../../src/exec/native-streams.ts";
import { originalLimit, prepareOwnProcess } from "../../src/exec/own-process.ts";
import { createReaper } from "../../src/exec/reaper.ts";
import { createSpawning } from "../../src/exec/spawning.ts";
import { loadNative } from "../../src/native/libc.ts";
import { absolute } from "./launching.ts";

const native = loadNative();

describe("the descriptor limit of a child", () => {
  test.each([
    ["what whoever started us has, since it handed that down", { soft: 9000, hard: 9000 }, { soft: 512, hard: 9000 }, 512],
    [
      "the usual one, when whoever started us has another hard limit, as service managers do",
      { soft: 9000, hard: 9000 },
      { soft: 7, hard: 8 },
      1024,
    ],
    ["the usual one, when nothing is known", { soft: 9000, hard: 9000 }, null, 1024],
    ["never above the hard limit", { soft: 300, hard: 300 }, null, 300],
  ])("is %s", (_, own, parent, soft) => {
    expect(originalLimit(own, parent)).toEqual({ soft, hard: own.hard });
  });

  test.runIf(native !== null).each([
    ["at once", "at-once"],
    ["beside us", "may-be-beside"],
  ] as const)("is set for the child alone when it starts %s (needs native code)", async (_name, how) => {
    if (native === null) return;
    const own = prepareOwnProcess(native);
    const before = native.descriptorLimit();
    const reaper = createReaper(native);
    const nothing = openNothing(native);
    const cwd = { path: absolute("/"), fd: native.duplicateFrom(openSync("/", "r"), 100) };
    let text = "";
    const output = (_: string, bytes: Uint8Array): void => void (text += Buffer.from(bytes).toString());
    const mayStart = Promise.resolve(ok(undefined));
    const io = { mayStart, stdin: null, timeoutMs: 1, signal: new AbortController().signal, minEnforcement: null, runAs: null, output };
    const limited = { ...own, ownDescriptors: before, childDescriptors: { soft: 333, hard: before.hard } };
    const limit = childLimitOf(native, limited);
    const spawning = createSpawning({ native, reaper, limit, isCrowded: () => true });
    const streams = openNativeStreams({ native, spawning, limit, credentials: null, nothing }, io);
    const start = {
      file: "/bin/sh",
      argv: ["sh", "-c", "ulimit -Sn; ulimit -Hn"],
      environment: [],
      cwd,
      passed: [],
      copies: [],
      watched: [],
    };
    const starting = streams.start(
      { ...start, level: "sealed", covered: new Set(), name: "sh" },
      { stdin: nothing, stdout: "output" },
      { how, mark: 1, objection: () => null },
    );
    expect(starting instanceof Promise).toBe(how === "may-be-beside");
    const started = await starting;
    if (!("pid" in started)) throw new Error("sh did not start");
    await started.ended;
    streams.closeWriting();
    streams.readNow();
    await streams.whenEnded();
    expect(text).toBe(`333\n${before.hard}\n`);
    expect(native.descriptorLimit()).toEqual(before);
    reaper.stop();
    for (const fd of [nothing, cwd.fd]) closeSync(fd);
  });
});
