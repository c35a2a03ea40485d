import { closeSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createOutputReader } from "../../src/exec/output-reader.ts";
import { loadNative } from "../../src/native/libc.ts";

const native = loadNative();

function reading(allBorn: () => Promise<unknown> | null) {
  if (native === null) throw new Error("this takes native code");
  const { readEnd, writeEnd } = native.pipe();
  native.readWithoutWaiting(readEnd);
  const seen = { reads: 0, ends: 0, text: "" };
  const read: typeof native.read = (fd, into) => {
    seen.reads += 1;
    return native.read(fd, into);
  };
  const take = (bytes: Uint8Array): void => void (seen.text += Buffer.from(bytes).toString());
  const onEnd = (): void => void (seen.ends += 1);
  return { reader: createOutputReader({ read }, readEnd, { take, onEnd, allBorn }), writeEnd, seen };
}

test.runIf(native !== null)(
  "a copy of the end in somebody who is being started is waited for, and not asked after (needs native code)",
  async () => {
    let tellBorn = (): void => undefined;
    const born = new Promise<void>((resolve) => {
      tellBorn = resolve;
    });
    const { reader, writeEnd, seen } = reading(() => born);
    reader.readNow();
    reader.readNow();
    await sleep(20);
    expect(seen).toEqual({ reads: 1, ends: 0, text: "" });
    closeSync(writeEnd);
    tellBorn();
    await sleep(20);
    expect(seen).toEqual({ reads: 2, ends: 1, text: "" });
  },
);

test.runIf(native !== null)("whoever holds the end for longer is listened to, and what it says is heard (needs native code)", async () => {
  const { reader, writeEnd, seen } = reading(() => Promise.resolve());
  reader.readNow();
  await sleep(50);
  writeSync(writeEnd, "late");
  await sleep(50);
  expect(seen).toMatchObject({ ends: 0, text: "late" });
  closeSync(writeEnd);
  await sleep(50);
  expect(seen).toMatchObject({ ends: 1, text: "late" });
});
