import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BoundParts } from "../../src/binding/binding.ts";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { isAgentId } from "../../src/core/ids.ts";
import { ALLOWED_TEXTS_MAX, SCRIPT_TEXT_BYTES_MAX, SCRIPT_TEXTS_PER_REQUEST_MAX } from "../../src/core/limits.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { openScriptTexts, type ScriptTexts } from "../../src/store/script-texts.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
let texts: ScriptTexts;
beforeEach(() => {
  scratch = scratchDirectory();
  mkdirSync(join(scratch.path, "approvals"), { mode: 0o700 });
  texts = openScriptTexts(join(scratch.path, "approvals"));
});
afterEach(() => scratch.remove());

const at = (name: string): AbsolutePath => {
  const parsed = parseAbsolutePath(join(scratch.path, name));
  if (!parsed.ok) throw new Error("not a path");
  return parsed.value;
};

/** A command bound to these files as they are now. */
function bound(...names: readonly string[]): BoundParts {
  const hashed = names.map((name) => ({ path: at(name), sha256: sha256Of(readFileSync(at(name))) }));
  const agentId: string = "main";
  const [executable] = hashed;
  if (!isAgentId(agentId) || executable === undefined) throw new Error("no parts");
  const rest = hashed.slice(1).map((file, index) => ({ ...file, argvIndex: index + 1 }));
  return {
    argv: ["x"],
    cwd: at("."),
    envHash: "",
    agentId,
    sessionKey: "",
    executable,
    files: rest,
    nested: [],
    stdin: { bytes: 0, sha256: null },
  };
}

describe("the text of a script", () => {
  test("is kept as it was bound, for nobody else to read", async () => {
    writeFileSync(at("a.sh"), "echo one\n");
    const parts = bound("a.sh");
    await texts.keep("id1", parts);
    writeFileSync(at("a.sh"), "echo two\n");
    expect([...texts.read("id1", parts)]).toEqual([[at("a.sh"), { text: "echo one\n", knownSinceMs: null, earlier: null }]]);
    expect(statSync(join(scratch.path, "approvals/id1.texts")).mode & 0o777).toBe(0o600);
  });

  test("that was swapped between hashing and keeping is not kept at all", async () => {
    writeFileSync(at("a.sh"), "echo one\n");
    const parts = bound("a.sh");
    writeFileSync(at("a.sh"), "echo two\n");
    await texts.keep("id1", parts);
    expect(texts.read("id1", parts).size).toBe(0);
    expect(readdirSync(join(scratch.path, "approvals"))).toEqual([]);
  });

  test("that somebody edited beside the record is not shown", async () => {
    writeFileSync(at("a.sh"), "echo one\n");
    const parts = bound("a.sh");
    await texts.keep("id1", parts);
    writeFileSync(join(scratch.path, "approvals/id1.texts"), JSON.stringify({ [at("a.sh")]: "echo harmless\n" }));
    expect(texts.read("id1", parts).size).toBe(0);
  });

  test.each([
    { name: "is binary", bytes: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x00]) },
    { name: "is not UTF-8", bytes: Buffer.from([0xff, 0xfe]) },
    { name: "is a byte too long", bytes: Buffer.alloc(SCRIPT_TEXT_BYTES_MAX + 1, "a") },
    { name: "would be all escapes", bytes: Buffer.alloc(SCRIPT_TEXT_BYTES_MAX, "\u001b") },
  ])("that $name is left out", async ({ bytes }) => {
    writeFileSync(at("a"), bytes);
    const parts = bound("a");
    await texts.keep("id1", parts);
    expect(texts.read("id1", parts).size).toBe(0);
  });

  test("of the largest size is kept, and no more files than fit an answer", async () => {
    const names = Array.from({ length: SCRIPT_TEXTS_PER_REQUEST_MAX + 1 }, (_, index) => `f${index}`);
    for (const name of names) writeFileSync(at(name), Buffer.alloc(SCRIPT_TEXT_BYTES_MAX, name));
    const parts = bound(...names);
    await texts.keep("id1", parts);
    expect(texts.read("id1", parts).size).toBe(SCRIPT_TEXTS_PER_REQUEST_MAX);
  });

  test("behind a link that took its place is not followed", async () => {
    writeFileSync(at("a.sh"), "echo one\n");
    const parts = bound("a.sh");
    writeFileSync(at("other"), "echo one\n");
    renameSync(at("a.sh"), at("moved"));
    symlinkSync(at("other"), at("a.sh"));
    await texts.keep("id1", parts);
    expect(texts.read("id1", parts).size).toBe(0);
  });
});

describe("the next time", () => {
  test("the same script is known, and a changed one comes with what was allowed", async () => {
    writeFileSync(at("a.sh"), "echo one\n");
    const before = bound("a.sh");
    await texts.keep("id1", before);
    await texts.allowed("id1", before, 1000);
    await texts.keep("id2", before);
    expect(texts.read("id2", before).get(at("a.sh"))).toEqual({ text: "echo one\n", knownSinceMs: 1000, earlier: null });
    writeFileSync(at("a.sh"), "echo two\n");
    const after = bound("a.sh");
    await texts.keep("id3", after);
    const earlier = { text: "echo one\n", atMs: 1000 };
    expect(texts.read("id3", after).get(at("a.sh"))).toEqual({ text: "echo two\n", knownSinceMs: null, earlier });
  });

  test("what was only asked about and never allowed is not remembered", async () => {
    writeFileSync(at("a.sh"), "echo one\n");
    const parts = bound("a.sh");
    await texts.keep("id1", parts);
    await texts.drop("id1");
    await texts.keep("id2", parts);
    expect(texts.read("id2", parts).get(at("a.sh"))?.knownSinceMs).toBeNull();
  });

  test("only so many are remembered, and the oldest goes first", async () => {
    for (let index = 0; index <= ALLOWED_TEXTS_MAX; index += 1) {
      writeFileSync(at("s"), `echo ${index}\n`);
      const parts = bound("s");
      const moved = { ...parts, executable: { ...parts.executable, path: at(`s${index}`) } };
      writeFileSync(at(`s${index}`), `echo ${index}\n`);
      await texts.keep(`id${index}`, moved);
      await texts.allowed(`id${index}`, moved, index);
    }
    expect(readdirSync(join(scratch.path, "approvals")).filter((name) => name.startsWith("allowed-"))).toHaveLength(ALLOWED_TEXTS_MAX);
  });
});

test("what no record stands beside is swept away, and what was allowed stays", async () => {
  writeFileSync(at("a.sh"), "echo one\n");
  const parts = bound("a.sh");
  await texts.keep("id1", parts);
  await texts.keep("id2", parts);
  await texts.allowed("id1", parts, 1000);
  await texts.sweep((id) => id === "id2");
  expect(readdirSync(join(scratch.path, "approvals")).sort()).toEqual([expect.stringMatching(/^allowed-/), "id2.texts"]);
});

test("a directory that cannot be written costs a look and nothing else", async () => {
  writeFileSync(at("a.sh"), "echo one\n");
  const parts = bound("a.sh");
  const gone = openScriptTexts(join(scratch.path, "nowhere"));
  await gone.keep("id1", parts);
  await gone.allowed("id1", parts, 1);
  expect(gone.read("id1", parts).size).toBe(0);
});
