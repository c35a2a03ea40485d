import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AccessList, accessListOf, parseAccessList } from "../../src/exec/access-list.ts";
import type { Credentials } from "../../src/exec/credentials.ts";
import { couldChange, couldReplace, couldWrite, EXECUTE, type Owned, permits, READ, WRITE } from "../../src/exec/permission.ts";
import { loadNative } from "../../src/native/libc.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const AGENT: Credentials = { uid: 1000, gid: 1000, gids: [1000, 50] };
const ROOT_ITSELF: Credentials = { uid: 0, gid: 0, gids: [0] };
const NO_LIST = (): AccessList => null;
const UNSEEN = (): AccessList => "unseen";

function file(mode: number, uid = 0, gid = 0): Owned {
  return { mode: 0o100000 | mode, uid, gid };
}

function directory(mode: number, uid = 0, gid = 0): Owned {
  return { mode: 0o040000 | mode, uid, gid };
}

const TAGS = { user: 2, group: 8, owner: 1, owningGroup: 4, mask: 16, others: 32 } as const;

type Row = readonly [tag: keyof typeof TAGS, permissions: number, id?: number];

/** As the kernel stores it. */
function stored(...entries: readonly Row[]): Uint8Array {
  const bytes = Buffer.alloc(4 + 8 * entries.length);
  bytes.writeUInt32LE(2, 0);
  for (const [index, [tag, permissions, id = 0xffffffff]] of entries.entries()) {
    bytes.writeUInt16LE(TAGS[tag], 4 + 8 * index);
    bytes.writeUInt16LE(permissions, 6 + 8 * index);
    bytes.writeUInt32LE(id, 8 + 8 * index);
  }
  return bytes;
}

function list(...entries: readonly Row[]): () => AccessList {
  return () => parseAccessList(stored(["owner", 6], ["owningGroup", 4], ["others", 4], ...entries));
}

describe("who may do what", () => {
  test.each([
    ["the owner is held to the owner's bits, even where others have more", file(0o077, 1000), READ, false],
    ["a member of the group is held to the group's bits", file(0o704, 0, 50), READ, false],
    ["everybody else to the others' bits", file(0o004), READ, true],
    ["and no more than those", file(0o004), WRITE, false],
  ])("%s", (_name, found, want, expected) => {
    expect(permits(AGENT, found, want, NO_LIST)).toBe(expected);
  });

  test("root reads and writes everything, and starts what anyone may start", () => {
    expect(permits(ROOT_ITSELF, file(0, 1000), READ, NO_LIST)).toBe(true);
    expect(permits(ROOT_ITSELF, file(0o644), EXECUTE, NO_LIST)).toBe(false);
    expect(permits(ROOT_ITSELF, file(0o601), EXECUTE, NO_LIST)).toBe(true);
    expect(permits(ROOT_ITSELF, directory(0o000), EXECUTE, NO_LIST)).toBe(true);
  });

  test.each([
    [
      "a user who is named gets what the mask leaves",
      [
        ["user", 7, 1000],
        ["mask", 5],
      ],
      READ,
      true,
    ],
    [
      "and not what it takes away",
      [
        ["user", 7, 1000],
        ["mask", 4],
      ],
      EXECUTE,
      false,
    ],
    [
      "a user who is named with nothing has nothing, whatever others have",
      [
        ["user", 0, 1000],
        ["mask", 7],
      ],
      READ,
      false,
    ],
    [
      "a group that is named counts like the owning one",
      [
        ["group", 1, 50],
        ["mask", 7],
      ],
      EXECUTE,
      true,
    ],
    [
      "a member of a group without it does not fall through to the others",
      [
        ["group", 0, 50],
        ["mask", 7],
      ],
      READ,
      false,
    ],
    [
      "nobody who is named: the others' entry",
      [
        ["user", 0, 77],
        ["mask", 7],
      ],
      READ,
      true,
    ],
  ] as const)("with a list, %s", (_name, entries, want, expected) => {
    expect(permits(AGENT, file(0o674), want, list(...entries))).toBe(expected);
  });

  test("a list that is cut off or of another version is an unseen one", () => {
    expect(parseAccessList(stored(["owner", 6]).subarray(0, 10))).toBe("unseen");
    expect(parseAccessList(Buffer.from([3, 0, 0, 0]))).toBe("unseen");
    expect(parseAccessList(new Uint8Array(0))).toBe("unseen");
  });
});

describe("who could change a file", () => {
  test.each([
    ["its owner, whatever the mode says", file(0o444, 1000), NO_LIST, true],
    ["a member of a group that may write", file(0o664, 0, 50), NO_LIST, true],
    ["nobody of another group", file(0o664, 0, 51), NO_LIST, false],
    ["anyone where others may write", file(0o602), NO_LIST, true],
    ["not where nobody may but the owner", file(0o755), NO_LIST, false],
    ["somebody whom a list names", file(0o674), list(["user", 2, 1000], ["mask", 7]), true],
    ["somebody whose group a list names", file(0o674), list(["group", 2, 50], ["mask", 7]), true],
    ["not somebody else than the list names", file(0o674), list(["user", 2, 77], ["mask", 7]), false],
    ["somebody, when a list might lie there unseen", file(0o674), UNSEEN, true],
    ["nobody, when the mask leaves no room for a list", file(0o654), UNSEEN, false],
  ])("%s", (_name, found, list, expected) => {
    expect(couldChange(AGENT, found, list)).toBe(expected);
  });

  test("the list is not asked for unless the group may write", () => {
    const never = (): AccessList => {
      throw new Error("a look that costs a system call");
    };
    expect(couldWrite(AGENT, file(0o755), never)).toBe(false);
  });

  test.each([
    ["a file of another user", file(0o400, 1000), true],
    ["a file that some group may write to", file(0o464), true],
    ["a file of root's that only root may write to", file(0o755), false],
  ])("anyone but root: %s", (_name, found, expected) => {
    expect(couldChange("anyone-but-root", found, NO_LIST)).toBe(expected);
  });
});

describe("who could put another file under a name", () => {
  test.each([
    ["whoever may write to the directory", directory(0o777), file(0o644), true],
    ["not in a sticky one, with somebody else's file", directory(0o1777), file(0o644), false],
    ["in a sticky one, with a file of their own", directory(0o1777), file(0o644, 1000), true],
    ["in a sticky one of their own, with any file", directory(0o1755, 1000), file(0o644), true],
    ["nobody where the directory is closed", directory(0o755), file(0o666), false],
  ])("%s", (_name, outer, entry, expected) => {
    expect(couldReplace(AGENT, outer, entry, NO_LIST)).toBe(expected);
  });

  test("anyone but root, in a sticky directory of root's: only with a file that is not root's", () => {
    expect(couldReplace("anyone-but-root", directory(0o1777), file(0o644), NO_LIST)).toBe(false);
    expect(couldReplace("anyone-but-root", directory(0o1777), file(0o644, 1000), NO_LIST)).toBe(true);
  });
});

const isRoot = process.getuid?.() === 0;
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

describe.runIf(isRoot && has("setpriv"))("this kernel (needs root and setpriv)", () => {
  let scratch: Scratch;
  beforeAll(() => {
    scratch = scratchDirectory();
    chmodSync(scratch.path, 0o755);
  });
  afterAll(() => scratch.remove());

  const asAgent = (...argv: readonly string[]): boolean =>
    spawnSync("setpriv", ["--reuid=1000", "--regid=1000", "--groups=50", ...argv]).status === 0;

  test("agrees on every mode, owner and group about reading, writing and starting", () => {
    const path = join(scratch.path, "file");
    writeFileSync(path, "");
    for (const [uid, gid] of [
      [1000, 0],
      [0, 50],
      [0, 1000],
      [0, 0],
    ] as const) {
      for (const mode of [0o000, 0o700, 0o070, 0o007, 0o421, 0o142, 0o214, 0o755]) {
        chownSync(path, uid, gid);
        chmodSync(path, mode);
        const found = statSync(path);
        const expected = [READ, WRITE, EXECUTE].map((want) => permits(AGENT, found, want, NO_LIST));
        const told = ["-r", "-w", "-x"].map((flag) => asAgent("test", flag, path));
        expect(told, `${uid}:${gid} ${mode.toString(8)}`).toEqual(expected);
      }
    }
  });

  test.runIf(has("python3") && loadNative() !== null)("agrees on access control lists (needs python3 to set them, and native code)", () => {
    const path = join(scratch.path, "listed");
    const lists = [
      stored(["owner", 6], ["user", 6, 1000], ["owningGroup", 0], ["mask", 6], ["others", 0]),
      stored(["owner", 6], ["user", 0, 1000], ["owningGroup", 4], ["mask", 4], ["others", 4]),
      stored(["owner", 6], ["user", 7, 77], ["owningGroup", 0], ["group", 2, 50], ["mask", 7], ["others", 4]),
      stored(["owner", 6], ["user", 7, 1000], ["owningGroup", 0], ["mask", 1], ["others", 0]),
    ];
    for (const each of lists) {
      writeFileSync(path, "");
      const hex = Buffer.from(each).toString("hex");
      execFileSync("python3", ["-c", `import os; os.setxattr("${path}", "system.posix_acl_access", bytes.fromhex("${hex}"))`]);
      const seen = (): AccessList => accessListOf(path, loadNative());
      const expected = [READ, WRITE, EXECUTE].map((want) => permits(AGENT, statSync(path), want, seen));
      expect(["-r", "-w", "-x"].map((flag) => asAgent("test", flag, path))).toEqual(expected);
      expect(couldWrite(AGENT, statSync(path), seen)).toBe(expected[1]);
    }
  });

  test("agrees that a sticky directory keeps other people's files", () => {
    const sticky = join(scratch.path, "sticky");
    mkdirSync(sticky);
    chmodSync(sticky, 0o1777);
    for (const uid of [0, 1000]) {
      const path = join(sticky, `file-${uid}`);
      writeFileSync(path, "");
      chownSync(path, uid, 0);
      const expected = couldReplace(AGENT, statSync(sticky), statSync(path), NO_LIST);
      expect(asAgent("mv", path, `${path}.moved`)).toBe(expected);
    }
  });
});
