import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { HASH_CACHE_SETTLED_MS } from "../../src/core/limits.ts";
import { createAccounts } from "../../src/exec/accounts.ts";
import { type ChildrenOptions, createChildren } from "../../src/exec/child.ts";
import type { Credentials } from "../../src/exec/credentials.ts";
import { loadNative } from "../../src/native/libc.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../../src/policy/exec-settings.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

let scratch: Scratch;
let root = "";
beforeAll(() => {
  scratch = scratchDirectory();
  root = realpathSync(scratch.path);
  chmodSync(root, 0o755);
});
afterAll(() => scratch.remove());

function absolute(text: string): AbsolutePath {
  const path = parseAbsolutePath(text);
  if (!path.ok) throw new Error("not absolute");
  return path.value;
}

function directory(name: string, mode = 0o755): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

const ROOT_ITSELF: Credentials = { uid: 0, gid: 0, gids: [0] };
const SETTINGS: ExecSettings = EXEC_SETTINGS_DEFAULT;

function children(options: Partial<ChildrenOptions> = {}) {
  return createChildren({
    atStart: { HOME: root, PATH: "/usr/bin:/bin" },
    stateDirectory: absolute(root),
    native: loadNative(),
    ...options,
  });
}

function pathOf(
  inherited: string | undefined,
  settings: Partial<ExecSettings> = {},
  options: Partial<ChildrenOptions> = {},
): readonly string[] {
  const child = children({ atStart: { HOME: root, PATH: inherited }, ...options }).childOf({ ...SETTINGS, ...settings });
  if (!child.ok) throw new Error(child.failure.message);
  return child.value.path;
}

describe("the child's PATH", () => {
  test("is worked out once for as long as nothing that it rests on has changed", () => {
    const at = directory("quiet");
    const missing = join(root, "missing", "bin");
    const looking = children({ atStart: { HOME: root, PATH: `/usr/bin:${at}:${missing}` } });
    const path = (): readonly string[] => {
      const child = looking.childOf(SETTINGS);
      if (!child.ok) throw new Error(child.failure.message);
      return child.value.path;
    };
    const first = path();
    expect(path()).toBe(first);
    expect(first).toEqual(["/usr/bin", at, missing]);
    chmodSync(at, 0o777);
    expect(path()).toEqual(["/usr/bin", missing]);
    chmodSync(at, 0o755);
    expect(path()).toEqual(["/usr/bin", at, missing]);
    directory("missing/bin", 0o777);
    expect(path()).toEqual(["/usr/bin", at]);
  });

  test("is worked out anew while a directory that a list could open to others changed a moment ago", async () => {
    const at = directory("shared", 0o775);
    const looking = children({ atStart: { HOME: root, PATH: `/usr/bin:${at}` } });
    const path = (): readonly string[] => {
      const child = looking.childOf(SETTINGS);
      if (!child.ok) throw new Error(child.failure.message);
      return child.value.path;
    };
    expect(path()).not.toBe(path());
    await sleep(HASH_CACHE_SETTLED_MS + 50);
    const settled = path();
    expect(path()).toBe(settled);
    // As setfacl would: nothing but the ctime moves.
    chmodSync(at, 0o775);
    expect(path()).not.toBe(settled);
  });

  test("is the daemon's, as it is written", () => {
    expect(pathOf("/usr/bin:/bin:/usr/sbin")).toEqual(["/usr/bin", "/bin", "/usr/sbin"]);
  });

  test("has no relative and no empty entry, which would mean the working directory", () => {
    expect(pathOf(":/usr/bin::bin:.:./x:")).toEqual(["/usr/bin"]);
  });

  test("has no directory that anyone can write to, nor one below such, nor one that anyone could make", () => {
    const open = directory("open", 0o777);
    const sticky = directory("sticky", 0o1777);
    const inside = directory("open/inside");
    expect(pathOf([open, "/usr/bin", sticky, inside, join(sticky, "absent")].join(":"))).toEqual(["/usr/bin"]);
  });

  test("has directories that the child could change behind all others, in their order", () => {
    const [one, two] = [directory("one"), directory("two")];
    expect(pathOf([one, "/usr/bin", two, "/bin"].join(":"))).toEqual(["/usr/bin", "/bin", one, two]);
  });

  test("counts a link as changeable where it lies, and what is missing where it would be made", () => {
    const link = join(root, "link-to-bin");
    symlinkSync("/usr/bin", link);
    const absent = join(directory("home"), "absent", "bin");
    expect(pathOf([link, absent, "/nonexistent/bin", "/usr/bin"].join(":"))).toContain(link);
    expect(pathOf([link, absent, "/usr/nonexistent/bin", "/usr/bin"].join(":"))).toEqual([
      "/usr/nonexistent/bin",
      "/usr/bin",
      link,
      absent,
    ]);
  });

  test("is the operator's where it is configured, with what is prepended in front", () => {
    const mine = directory("mine");
    expect(pathOf("/usr/bin", { path: [mine, "/bin"], pathPrepend: ["/opt/x"] })).toEqual(["/opt/x", mine, "/bin"]);
    expect(pathOf("/usr/bin", { pathPrepend: [mine] })).toEqual([mine, "/usr/bin"]);
  });

  test("falls back to the system's where the daemon has none", () => {
    expect(pathOf(undefined)).toEqual(["/bin", "/usr/bin"]);
  });

  test.each([["bin"], [""], ["/a:/b"]])("is refused where the configuration says %j", (entry) => {
    for (const settings of [{ path: [entry] }, { pathPrepend: [entry] }]) {
      expect(children().childOf({ ...SETTINGS, ...settings })).toMatchObject({ ok: false, failure: { code: "config.invalid" } });
    }
  });

  test("is what programs are looked up on", () => {
    const bin = directory("bin");
    writeFileSync(join(bin, "my-tool"), "#!/bin/sh\n", { mode: 0o755 });
    const child = children({ atStart: { HOME: root, PATH: `${bin}:/usr/bin` } }).childOf(SETTINGS);
    expect(child.ok && child.value.machine.program("my-tool", absolute("/"))).toMatchObject({ realPath: join(bin, "my-tool") });
  });
});

describe("the child's identity", () => {
  test("is ours, with the home that the daemon had at its start", () => {
    const child = children().childOf(SETTINGS);
    expect(child).toMatchObject({ ok: true, value: { identity: {}, home: root, atStart: { HOME: root } } });
  });

  test.each([undefined, "", "relative"])("has the home of passwd(5) where HOME is %j", (home) => {
    const child = children({ atStart: { HOME: home } }).childOf(SETTINGS);
    expect(child).toMatchObject({ ok: true, value: { home: userInfo().homedir } });
  });

  test("cannot be another's unless the daemon runs as root, and says so", () => {
    const ordinary = children({ ourselves: { uid: 1000, gid: 1000, gids: [1000] } });
    expect(ordinary.childOf({ ...SETTINGS, runAs: "nobody" })).toEqual({
      ok: false,
      failure: {
        code: "config.invalid",
        message: "`tools.exec.runAs` needs a daemon that runs as root; start it as root or leave `runAs` out",
        details: { key: "tools.exec.runAs", runAs: "nobody" },
      },
    });
  });

  test("cannot be that of a user who does not exist", () => {
    const refused = children({ ourselves: ROOT_ITSELF }).childOf({ ...SETTINGS, runAs: "no\nsuch user" });
    expect(refused).toMatchObject({ ok: false, failure: { code: "config.invalid" } });
    expect(refused.ok ? "" : refused.failure.message).toBe(
      "`tools.exec.runAs` names `no\\u{a}such user`, who is not in /etc/passwd; name a user who is",
    );
  });

  test("is the other user's under runAs: name, home, shell, groups, and none of the daemon's own places", () => {
    const accounts = accountsOf(
      "root:x:0:0::/root:/bin/bash\nagent:x:3999999:3999999:A:/home/agent:/bin/zsh\n",
      "g:x:50:x,agent\nh:x:51:agents\ni:x:52:agent,y\n",
    );
    const atStart = { HOME: "/root", PATH: "/usr/bin", TMPDIR: "/root/tmp", XDG_RUNTIME_DIR: "/run/user/0", LANG: "C" };
    const ones = children({ ourselves: ROOT_ITSELF, accounts, atStart });
    expect(ones.childOf({ ...SETTINGS, runAs: "agent" })).toMatchObject({
      ok: true,
      value: {
        identity: { HOME: "/home/agent", USER: "agent", LOGNAME: "agent", SHELL: "/bin/zsh" },
        home: "/home/agent",
        atStart: { HOME: "/root", PATH: "/usr/bin", LANG: "C" },
      },
    });
    const identity = ones.identityOf({ ...SETTINGS, runAs: "agent" });
    expect(identity).toMatchObject({
      ok: true,
      value: { isOurselves: false, credentials: { uid: 3999999, gid: 3999999, gids: [3999999, 50, 52] } },
    });
  });

  test("sees with the other user's eyes under runAs", () => {
    const accounts = accountsOf("agent:x:3999999:3999999::/:\n", "");
    const closed = directory("closed", 0o700);
    writeFileSync(join(closed, "file"), "");
    const child = children({ ourselves: ROOT_ITSELF, accounts }).childOf({ ...SETTINGS, runAs: "agent" });
    expect(child.ok && child.value.machine.kindOf(absolute(join(closed, "file")))).toBeNull();
    expect(child.ok && child.value.machine.childCanChange(absolute(realpathSync("/bin/sh")))).toBe(false);
    expect(child.ok && child.value.identity["SHELL"]).toBe("/bin/sh");
  });

  function accountsOf(users: string, groups: string) {
    writeFileSync(join(root, "passwd"), users);
    writeFileSync(join(root, "group"), groups);
    return createAccounts(join(root, "passwd"), join(root, "group"));
  }

  test.each([
    ["a row without a uid", "agent:x::5::/:\n"],
    ["a uid that means nobody in particular", "agent:x:4294967295:5::/:\n"],
    ["a home that is no path", "agent:x:5:5::home:\n"],
    ["a comment", "#agent:x:5:5::/:\n"],
  ])("is nobody's by %s", (_name, row) => {
    expect(accountsOf(row, "").named("agent")).toBeNull();
  });

  test("follows the files when they change", () => {
    const accounts = accountsOf("agent:x:5:5::/:\n", "");
    expect(accounts.named("agent")).toMatchObject({ uid: 5, gids: [5] });
    accountsOf("agent:x:6:6::/:\n", "g:x:7:agent\n");
    expect(accounts.named("agent")).toMatchObject({ uid: 6, gids: [6, 7] });
    expect(accounts.named("")).toBeNull();
  });
});
