import { chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Machine } from "../../src/analysis/machine.ts";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { LINKS_FOLLOWED_MAX } from "../../src/core/limits.ts";
import { type Credentials, ownCredentials } from "../../src/exec/credentials.ts";
import { createMachine, createSight } from "../../src/exec/machine.ts";
import { loadNative } from "../../src/native/libc.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
let root = "";
beforeAll(() => {
  scratch = scratchDirectory();
  root = realpathSync(scratch.path);
  // Reachable for everybody, so that a stranger's eyes can be tried as well.
  chmodSync(root, 0o755);
});
afterAll(() => scratch.remove());

function at(...parts: readonly string[]): AbsolutePath {
  const path = parseAbsolutePath(join(root, ...parts));
  if (!path.ok) throw new Error("not absolute");
  return path.value;
}

function absolute(text: string): AbsolutePath {
  const path = parseAbsolutePath(text);
  if (!path.ok) throw new Error("not absolute");
  return path.value;
}

function plant(name: string, mode = 0o755, text = "#!/bin/sh\n"): AbsolutePath {
  const path = at(name);
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o755 });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function machineOf(path: readonly string[] = [], child: Credentials = ownCredentials()): Machine {
  const sight = createSight({ child, isOurselves: child.uid === ownCredentials().uid, native: loadNative() });
  return createMachine(path, { home: at("home"), stateDirectory: at("state") }, sight);
}

/** Nobody's uid on any machine we know. */
const STRANGER: Credentials = { uid: 3_999_999, gid: 3_999_999, gids: [3_999_999] };
/** Owned by root on every system, and by nobody who runs these tests as an ordinary user. */
const SYSTEM_PROGRAM = absolute(realpathSync("/bin/sh"));

describe("a program", () => {
  test("is looked up along PATH in order, and never in the working directory", () => {
    plant("here/tool");
    plant("p1/other");
    const second = plant("p2/tool");
    expect(machineOf([at("p1"), at("p2")]).program("tool", at("here"))).toMatchObject({ word: "tool", realPath: second, linkPath: second });
    expect(machineOf([at("p1")]).program("tool", at("here"))).toBe("not-found");
    expect(machineOf([]).program("tool", at("here"))).toBe("not-found");
  });

  test("with a slash is taken from the working directory, and PATH is not looked at", () => {
    const here = plant("here/tool");
    plant("p2/sub/tool");
    expect(machineOf([at("p2")]).program("./tool", at("here"))).toMatchObject({ realPath: here });
    expect(machineOf([at("p2")]).program("sub/tool", at("here"))).toBe("not-found");
  });

  test("that may not be started does not end the search, and is named when nothing else is found", () => {
    plant("n1/run", 0o644);
    const later = plant("n2/run");
    mkdirSync(at("n3/run"), { recursive: true });
    expect(machineOf([at("n1"), at("n3"), at("n2")]).program("run", at())).toMatchObject({ realPath: later });
    expect(machineOf([at("n1"), at("nowhere")]).program("run", at())).toBe("not-executable");
    expect(machineOf([at("n3")]).program("run", at())).toBe("not-executable");
    expect(machineOf().program("./n1/run", at())).toBe("not-executable");
  });

  test.each(["", ".", "..", "./", "here/tool/", "here/tool/.", "here/../", "nowhere/../here/tool", "a\0b"])("is not %j", (word) => {
    plant("here/tool");
    expect(["not-found", "not-executable"]).toContain(machineOf([at("here")]).program(word, at()));
  });

  test("keeps its last name in the link path, with the directory made canonical", () => {
    plant("real/busybox");
    symlinkSync("busybox", at("real/ls"));
    symlinkSync("real", at("alias"));
    const found = machineOf().program("alias/ls", at());
    expect(found).toEqual({ word: "alias/ls", linkPath: at("real/ls"), realPath: at("real/busybox"), linksAreRoots: false, setId: false });
  });

  test("behind links that only root can change says so, and behind none as well", () => {
    plant("plain/tool");
    expect(machineOf().program("/bin/sh", at())).toMatchObject({ linksAreRoots: true });
    expect(machineOf().program("plain/tool", at())).toMatchObject({ linksAreRoots: true });
    symlinkSync("/bin/sh", at("my-shell"));
    expect(machineOf().program("./my-shell", at())).toMatchObject({ linksAreRoots: false, realPath: SYSTEM_PROGRAM });
  });

  test.runIf(existsSync("/etc/alternatives/awk"))(
    "behind /etc/alternatives is root's, to a child of root's too (needs such a link)",
    () => {
      for (const child of [ownCredentials(), STRANGER, { uid: 0, gid: 0, gids: [0] }]) {
        expect(machineOf(["/usr/bin"], child).program("awk", at())).toMatchObject({ linksAreRoots: true });
      }
    },
  );

  test("behind a directory link of somebody else's is not root's alone", () => {
    symlinkSync("/bin", at("bin-link"));
    expect(machineOf([at("bin-link")]).program("sh", at())).toMatchObject({
      linksAreRoots: false,
      setId: false,
      linkPath: absolute(join(realpathSync("/bin"), "sh")),
    });
  });

  test("that another user may not start is not executable to that user", () => {
    plant("private/tool", 0o700);
    chmodSync(at("private"), 0o755);
    expect(machineOf([], STRANGER).program("private/tool", at())).toBe("not-executable");
    plant("private/open", 0o755);
    expect(machineOf([], STRANGER).program("private/open", at())).toMatchObject({ realPath: at("private/open") });
    chmodSync(at("private"), 0o700);
    expect(machineOf([], STRANGER).program("private/open", at())).toBe("not-found");
    expect(machineOf([], STRANGER).kindOf(at("private/open"))).toBeNull();
  });
});

describe("what lies under a path", () => {
  test("is told through links: file, directory, something else, or nothing", () => {
    plant("kinds/file");
    symlinkSync("file", at("kinds/link"));
    symlinkSync("gone", at("kinds/dangling"));
    const machine = machineOf();
    expect(machine.kindOf(at("kinds/link"))).toBe("file");
    expect(machine.kindOf(at("kinds"))).toBe("directory");
    expect(machine.kindOf(absolute("/dev/null"))).toBe("other");
    expect(machine.kindOf(at("kinds/dangling"))).toBeNull();
    expect(machine.kindOf(at("kinds/file/below"))).toBeNull();
    expect(machine.realPath(at("kinds/link"))).toBe(at("kinds/file"));
    expect(machine.realPath(at("kinds/dangling"))).toBeNull();
  });

  test("is followed through as many links as the kernel follows, and not one more", () => {
    mkdirSync(at("chain"));
    plant("chain/0");
    for (let index = 1; index <= LINKS_FOLLOWED_MAX + 1; index += 1) symlinkSync(`${index - 1}`, at(`chain/${index}`));
    const machine = machineOf();
    expect(machine.realPath(at(`chain/${LINKS_FOLLOWED_MAX}`))).toBe(at("chain/0"));
    expect(machine.realPath(at(`chain/${LINKS_FOLLOWED_MAX + 1}`))).toBeNull();
  });

  test("stays the same within one request and is looked at anew by the next", () => {
    plant("moving/one");
    plant("moving/two");
    symlinkSync("one", at("moving/link"));
    const machine = machineOf();
    expect(machine.realPath(at("moving/link"))).toBe(at("moving/one"));
    unlinkSync(at("moving/link"));
    symlinkSync("two", at("moving/link"));
    expect(machine.realPath(at("moving/link"))).toBe(at("moving/one"));
    expect(machineOf().realPath(at("moving/link"))).toBe(at("moving/two"));
  });

  test("is refused where a path is longer than any the kernel takes", () => {
    expect(machineOf().realPath(absolute(`/${"a".repeat(255)}`.repeat(17)))).toBeNull();
  });
});

describe("what the child can change", () => {
  test("is everything of its own, and nothing of the system's", () => {
    const machine = machineOf();
    expect(machine.childCanChange(plant("own/file", 0o444))).toBe(true);
    expect(machine.childCanChange(SYSTEM_PROGRAM)).toBe(false);
    expect(machine.childCanChange(absolute("/bin/sh"))).toBe(false);
    expect(machine.childCanChange(at("own/absent"))).toBe(true);
  });

  test("is, to a stranger, what the modes leave open anywhere on the way", () => {
    plant("open/closed/file", 0o644);
    chmodSync(at("open/closed"), 0o755);
    chmodSync(at("open"), 0o755);
    expect(machineOf([], STRANGER).childCanChange(at("open/closed/file"))).toBe(false);
    chmodSync(at("open"), 0o777);
    expect(machineOf([], STRANGER).childCanChange(at("open/closed/file"))).toBe(true);
    chmodSync(at("open"), 0o1777);
    expect(machineOf([], STRANGER).childCanChange(at("open/closed/file"))).toBe(false);
    chmodSync(at("open/closed/file"), 0o646);
    expect(machineOf([], STRANGER).childCanChange(at("open/closed/file"))).toBe(true);
  });

  test("is the workspace of root too, when commands run as root: only the system's directories are left out", () => {
    const machine = machineOf([], { uid: 0, gid: 0, gids: [0] });
    expect(machine.childCanChange(plant("roots/own"))).toBe(true);
    expect(machine.childCanChange(SYSTEM_PROGRAM)).toBe(false);
  });
});

describe("a world-writable directory", () => {
  test("holds what lies right in it, sticky or not, and what anyone could exchange below it", () => {
    plant("world/file");
    plant("world/mine/file");
    chmodSync(at("world/mine"), 0o700);
    const inOne = (...parts: readonly string[]): boolean => machineOf().inWorldWritableDirectory(at(...parts));
    chmodSync(at("world"), 0o1777);
    expect([inOne("world/file"), inOne("world/mine/file")]).toEqual([true, false]);
    chmodSync(at("world"), 0o777);
    expect([inOne("world/file"), inOne("world/mine/file")]).toEqual([true, true]);
    chmodSync(at("world"), 0o755);
    expect([inOne("world/file"), inOne("world/mine/file")]).toEqual([false, false]);
  });
});

describe("a first line", () => {
  test("is read from the file, and nothing is waited for that is no file", () => {
    const machine = machineOf();
    expect(machine.shebang(plant("lines/script", 0o755, "#!/usr/bin/env -S node --x\nx"))).toEqual({
      interpreter: "/usr/bin/env",
      argument: "-S node --x",
    });
    expect(machine.shebang(plant("lines/text", 0o755, "echo hi"))).toBe("none");
    expect(machine.shebang(SYSTEM_PROGRAM)).toBeNull();
    expect(machine.shebang(at("lines/absent"))).toBeNull();
    expect(machine.shebang(at("lines"))).toBeNull();
  });

  test("is not told about a file that the child could not read", () => {
    plant("lines/secret", 0o711, "#!/bin/secret\n");
    expect(machineOf([], STRANGER).shebang(at("lines/secret"))).toBeNull();
    chmodSync(at("lines/secret"), 0o755);
    expect(machineOf([], STRANGER).shebang(at("lines/secret"))).toEqual({ interpreter: "/bin/secret", argument: null });
  });
});
