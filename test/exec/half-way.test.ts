/** A chain of which a part cannot be tried: what had started is ended, and whoever asked is not told that nothing was. */

import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadNative } from "../../src/native/libc.ts";
import type { Native } from "../../src/native/native.ts";
import { SystemError } from "../../src/native/system-error.ts";
import { type Lab, openLab } from "./launching.ts";

const native = loadNative();
let lab: Lab | null = null;
afterEach(async () => {
  await lab?.stop();
  lab = null;
});

/** A run has two pipes of its own; those of its pipelines come after. */
async function openLabWithPipes(count: number, onWant: () => void = () => undefined): Promise<Lab> {
  if (native === null) throw new Error("this takes native code");
  let left = Number.POSITIVE_INFINITY;
  const pipe: Native["pipe"] = () => {
    left -= 1;
    if (left < 0) onWant();
    if (left < 0) throw new SystemError("pipe2", constants.errno.EMFILE);
    return native.pipe();
  };
  lab = await openLab({ ...native, pipe });
  // What the machine can do was tried out by now.
  left = count;
  return lab;
}

test.runIf(native !== null)("says that a part of it has run, and how that ended (needs native code)", async () => {
  const opened = await openLabWithPipes(2);
  const { result } = await opened.run("touch ran; sleep 60 | cat");
  expect(result).toMatchObject({ ok: false, failure: { code: "exec.spawn-failed", details: { errno: "EMFILE", started: true } } });
  if (!result.ok) {
    expect(result.failure.message).toContain("look at what it did");
    expect(result.failure.ended).toMatchObject({ timedOut: false, cancelled: false, escaped: [] });
    expect(result.failure.ended?.enforcement).not.toBe("none");
  }
  expect(readFileSync(join(opened.root, "work/ran"), "utf8")).toBe("");
});

test.runIf(native !== null)("and that nothing has, where its first part is the one (needs native code)", async () => {
  const opened = await openLabWithPipes(2);
  const { result } = await opened.run("sleep 60 | cat");
  expect(result).toMatchObject({ ok: false, failure: { code: "exec.spawn-failed", details: { errno: "EMFILE" } } });
  if (!result.ok) expect([result.failure.ended, result.failure.details["started"]]).toEqual([undefined, undefined]);
});

test.runIf(native !== null)("and names those who could not be ended, where nobody could look for them (needs native code)", async () => {
  if (native === null) return;
  const own = native.descriptorLimit();
  const opened = await openLabWithPipes(2, () => native.setDescriptorLimit(3, own.hard));
  try {
    const { result } = await opened.run("setsid -f sleep 5; sleep 60 | cat");
    expect(result).toMatchObject({ ok: false, failure: { details: { started: true, escaped: [{ pid: 0, name: "?" }] } } });
    if (!result.ok) expect(result.failure.message).toContain("not all of what had started could be ended");
  } finally {
    native.setDescriptorLimit(own.soft, own.hard);
  }
});
