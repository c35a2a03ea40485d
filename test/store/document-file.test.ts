import { chmodSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { FILE_SETTLED_MS } from "../../src/core/limits.ts";
import { ok } from "../../src/core/result.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { withEntries, withUses } from "../../src/policy/document-edit.ts";
import { type DocumentFile, type Edit, openDocumentFile } from "../../src/store/document-file.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const UID = process.geteuid?.() ?? 0;
const DOCUMENT = {
  version: 1,
  future: { kept: true },
  socket: { path: "/s", token: "t" },
  agents: { main: { allowlist: [{ id: "rg", pattern: "/usr/bin/rg", note: "mine" }] } },
};

let scratch: Scratch;
let path: AbsolutePath;
beforeEach(() => {
  scratch = scratchDirectory();
  const parsed = parseAbsolutePath(join(scratch.path, "exec-approvals.json"));
  if (!parsed.ok) throw new Error("a scratch path is absolute");
  path = parsed.value;
  writeFileSync(path, JSON.stringify(DOCUMENT), { mode: 0o600 });
});
afterEach(() => scratch.remove());

function open(): DocumentFile {
  const opened = openDocumentFile(path, UID);
  if (!opened.ok) throw new Error(opened.failure.message);
  return opened.value;
}

const allow =
  (pattern: string): Edit =>
  (document) =>
    withEntries(document, "main", [{ id: pattern, pattern }]);
const patternsOf = (text: string): readonly string[] => {
  const document: { agents: { main: { allowlist: { pattern: string }[] } } } = JSON.parse(text);
  return document.agents.main.allowlist.map((entry) => entry.pattern);
};

describe("reading", () => {
  test("the hash is of the exact bytes", () => {
    expect(open().read()).toMatchObject({ ok: true, value: { hash: sha256Of(readFileSync(path)) } });
  });

  test("a change by someone else is seen at the next look, also one of the same size in the same instant", () => {
    const file = open();
    for (const token of ["u", "v", "w"]) {
      writeFileSync(path, JSON.stringify({ ...DOCUMENT, socket: { path: "/s", token } }));
      expect(file.read()).toMatchObject({ ok: true, value: { document: { socket: { token } } } });
    }
  });

  test("an untouched file keeps its document, so that rules compiled from it stay good", async () => {
    await sleep(FILE_SETTLED_MS + 20);
    const file = open();
    const before = file.lastGood().document;
    writeFileSync(path, readFileSync(path));
    const again = file.read();
    expect(again.ok && again.value.document === before).toBe(true);
  });

  test.each([
    ["cut short", () => truncateSync(path, 40)],
    ["readable by others", () => chmodSync(path, 0o644)],
    ["not UTF-8", () => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))],
    [
      "a symbolic link",
      () => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      },
    ],
    ["gone", () => renameSync(path, `${path}.away`)],
  ])("a document that is %s is corrupt, and the last good one still says who may connect", (_, spoil) => {
    const file = open();
    spoil();
    expect(file.read()).toMatchObject({ ok: false, failure: { code: "state.corrupt" } });
    expect(file.lastGood().document.socket.token).toBe("t");
  });

  test("a document that is mended is read again", () => {
    const file = open();
    const whole = readFileSync(path);
    truncateSync(path, 40);
    expect(file.read().ok).toBe(false);
    writeFileSync(path, whole);
    expect(file.read().ok).toBe(true);
  });
});

describe("changing", () => {
  test("keeps unknown keys, stays at 0600 and leaves no lock or temporary behind", async () => {
    const changed = await open().change(null, allow("/usr/bin/fd"));
    expect(changed.ok).toBe(true);
    const stored = JSON.parse(readFileSync(path, "utf8"));
    expect(stored).toMatchObject({
      future: { kept: true },
      agents: { main: { allowlist: [{ note: "mine" }, { pattern: "/usr/bin/fd" }] } },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(scratch.path)).toEqual(["exec-approvals.json"]);
  });

  test("on a version that is no longer there is a conflict that tells the current hash", async () => {
    const file = open();
    const before = file.lastGood().hash;
    await file.change(before, allow("/usr/bin/fd"));
    const current = sha256Of(readFileSync(path));
    expect(await file.change(before, allow("/usr/bin/ls"))).toMatchObject({
      ok: false,
      failure: { code: "state.conflict", details: { hash: current } },
    });
    expect(patternsOf(readFileSync(path, "utf8"))).toEqual(["/usr/bin/rg", "/usr/bin/fd"]);
  });

  test("a version since which only lastUsed changed is still good to build on", async () => {
    const file = open();
    const before = file.lastGood().hash;
    const used = await file.change(null, (document) => ok(withUses(document, [{ key: "rg", at: 1, command: "rg x", resolvedPath: "/r" }])));
    expect(used.ok && used.value.hash).not.toBe(before);
    expect((await file.change(before, allow("/usr/bin/fd"))).ok).toBe(true);
  });

  test("whoever listens hears of what decides, whoever changed it, and not of lastUsed", async () => {
    const file = open();
    const heard: boolean[] = [];
    file.onChange((_, byUs) => void heard.push(byUs));
    await file.change(null, allow("/usr/bin/fd"));
    await file.change(null, (document) => ok(withUses(document, [{ key: "rg", at: 1, command: "rg x", resolvedPath: "/r" }])));
    await open().change(null, allow("/usr/bin/ls"));
    file.read();
    expect(heard).toEqual([true, false]);
  });

  test("two editors at once lose nothing of each other's", async () => {
    const [one, other] = [open(), open()];
    await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : other).change(null, allow(`/bin/${index}`))));
    expect(patternsOf(readFileSync(path, "utf8")).toSorted()).toEqual(
      ["/usr/bin/rg", ...Array.from({ length: 8 }, (_, n) => `/bin/${n}`)].toSorted(),
    );
  });

  test("a corrupt document is left byte for byte as it was", async () => {
    const file = open();
    truncateSync(path, 40);
    const bytes = readFileSync(path);
    expect(await file.change(null, allow("/usr/bin/fd"))).toMatchObject({ ok: false, failure: { code: "state.corrupt" } });
    expect(readFileSync(path)).toEqual(bytes);
  });

  test("what could not be read back is not written", async () => {
    const bytes = readFileSync(path);
    const changed = await open().change(null, (document) => withEntries(document, "constructor", [{ id: "x", pattern: "/bin/ls" }]));
    expect(changed).toMatchObject({ ok: false, failure: { code: "state.corrupt" } });
    expect(readFileSync(path)).toEqual(bytes);
  });

  test("an editor that takes no lock and writes while a long document is put together loses nothing", async () => {
    const theirs = JSON.stringify({ ...DOCUMENT, future: "theirs" });
    const long = Array.from({ length: 5000 }, (_, index) => ({ id: `long-${index}`, pattern: `/bin/long-${index}` }));
    const changed = await open().change(null, (document) => {
      setImmediate(() => writeFileSync(path, theirs));
      return withEntries(document, "main", long);
    });
    expect(changed).toMatchObject({ ok: false, failure: { code: "state.conflict" } });
    expect(readFileSync(path, "utf8")).toBe(theirs);
  });
});
