import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandPlan } from "../../src/analysis/command-plan.ts";
import { planCommand } from "../../src/analysis/plan-command.ts";
import type { Evidence } from "../../src/binding/evidence.ts";
import { type AbsolutePath, baseName, parentOf, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { toArgv } from "../../src/core/argv.ts";
import type { Denial } from "../../src/core/denial.ts";
import { EXECUTABLE_BYTES_MAX, SCRIPT_BYTES_MAX, SEALED_BYTES_TOTAL_MAX, SEALED_PROGRAM_BYTES_MAX } from "../../src/core/limits.ts";
import type { Result } from "../../src/core/result.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { createChildren } from "../../src/exec/child.ts";
import type { Credentials } from "../../src/exec/credentials.ts";
import { type HeldFile, heldBehind } from "../../src/exec/held.ts";
import { createHold, type Holding, type HoldOptions } from "../../src/exec/hold.ts";
import { countSealedBytes } from "../../src/exec/keep-file.ts";
import { loadNative } from "../../src/native/libc.ts";
import { SystemError } from "../../src/native/system-error.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const native = loadNative();
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

let scratch: Scratch;
let root = "";
let holding: Holding;
const held: Evidence[] = [];

beforeEach(() => {
  scratch = scratchDirectory();
  root = realpathSync(scratch.path);
  chmodSync(root, 0o755);
  holding = hold();
});
afterEach(() => {
  for (const evidence of held.splice(0)) holding.release(evidence);
  holding.stop();
  scratch.remove();
});

function children() {
  return createChildren({ atStart: { HOME: root, PATH: "/usr/bin:/bin" }, stateDirectory: at("state"), native });
}

function hold(options: Partial<HoldOptions> = {}): Holding {
  return createHold({ children: children(), native, leasesHold: true, ...options });
}

function absolute(text: string): AbsolutePath {
  const path = parseAbsolutePath(text);
  if (!path.ok) throw new Error("not absolute");
  return path.value;
}

function at(...parts: readonly string[]): AbsolutePath {
  return absolute(join(root, ...parts));
}

function plant(name: string, content: string | Uint8Array = `echo ${name}\n`, mode = 0o755): AbsolutePath {
  mkdirSync(join(at(name), ".."), { recursive: true });
  writeFileSync(at(name), content);
  chmodSync(at(name), mode);
  return at(name);
}

/** A program of the child's own. */
function plantProgram(name: string, directory = root): AbsolutePath {
  copyFileSync(realpathSync("/bin/true"), join(directory, name));
  chmodSync(join(directory, name), 0o755);
  return absolute(join(directory, name));
}

function plan(form: readonly string[] | string, cwd = at()): CommandPlan {
  const argv = typeof form === "string" ? null : toArgv(form);
  const asked = typeof form === "string" ? ({ kind: "command", text: form } as const) : argv && ({ kind: "argv", argv } as const);
  const child = children().childOf(EXEC_SETTINGS_DEFAULT);
  if (asked === null || !child.ok) throw new Error("nothing to plan");
  const planned = planCommand({ form: asked, cwd, hasStdin: false }, child.value.machine);
  if (!planned.ok) throw new Error(planned.failure.message);
  return planned.value;
}

/** A plan as it would be, had the analysis let these files through. */
function planWith(files: readonly AbsolutePath[]): CommandPlan {
  return { ...plan(["true"]), files: files.map((path, index) => ({ argvIndex: index + 1, path })) };
}

async function take(planned: CommandPlan, by = holding): Promise<Evidence> {
  const evidence = await by.hold(planned, EXEC_SETTINGS_DEFAULT);
  if (!evidence.ok) throw new Error(`${evidence.failure.code}: ${evidence.failure.message}`);
  if (by === holding) held.push(evidence.value);
  return evidence.value;
}

async function refused(planned: CommandPlan, by = holding): Promise<Denial> {
  const evidence: Result<Evidence, Denial> = await by.hold(planned, EXEC_SETTINGS_DEFAULT);
  if (evidence.ok) throw new Error("it was held");
  return evidence.failure;
}

function fileOf(evidence: Evidence, path: AbsolutePath): HeldFile {
  const file = heldBehind(evidence)?.files.get(path);
  if (file === undefined) throw new Error(`${path} is not held`);
  return file;
}

function contentOf({ fd, bytes }: HeldFile): Buffer {
  const room = Buffer.alloc(bytes + 1);
  return room.subarray(0, readSync(fd, room, 0, room.length, 0));
}

/** Some script that came with the system. */
function scriptOfRoots(): string | null {
  const directory = realpathSync("/usr/bin");
  const isOne = (path: string): boolean => {
    const { uid, mode } = lstatSync(path);
    return uid === 0 && (mode & 0o170133) === 0o100111 && headOf(path) === "#!/bin/sh";
  };
  return (
    readdirSync(directory)
      .map((name) => join(directory, name))
      .find(isOne) ?? null
  );
}

function headOf(path: string): string {
  const fd = openSync(path, "r");
  const head = Buffer.alloc(9);
  readSync(fd, head, 0, head.length, 0);
  closeSync(fd);
  return head.toString("latin1");
}

/** Starts what is held by its descriptor alone. */
async function run({ fd }: HeldFile): Promise<unknown> {
  const cwdFd = openSync("/", "r");
  const started = native?.spawn({ file: `/proc/self/fd/${fd}`, argv: ["mine"], environment: [], cwdFd, descriptors: [] });
  closeSync(cwdFd);
  if (started === undefined || !("pid" in started)) return started;
  for (;;) {
    const status = native?.reap(started.pid);
    if (status !== null) return status;
    await sleep(5);
  }
}

/** With the one that lists them, which is there each time. */
function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

const SHELL = absolute(realpathSync("/bin/sh"));

describe("evidence", () => {
  test("has the hash of every file by its canonical path, and the directory by device and inode", async () => {
    const script = plant("deploy.sh", "echo deploy\n");
    symlinkSync("deploy.sh", at("link.sh"));
    const evidence = await take(plan(["sh", "link.sh", "prod"]));
    const { dev, ino } = statSync(root, { bigint: true });
    expect(evidence).toEqual({
      cwd: { path: root, device: dev.toString(), inode: ino.toString() },
      executable: { path: SHELL, sha256: sha256Of(readFileSync(SHELL)) },
      nested: [],
      files: [{ argvIndex: 1, path: script, sha256: sha256Of("echo deploy\n") }],
    });
  });

  test("names a script that is started by its own name as the executable, and its interpreter as nested", async () => {
    plant("tool", "#!/bin/sh\necho tool\n");
    const evidence = await take(plan(["./tool"]));
    expect(evidence.executable.sha256).toBe(sha256Of("#!/bin/sh\necho tool\n"));
    expect(evidence.nested).toEqual([{ path: SHELL, sha256: sha256Of(readFileSync(SHELL)) }]);
  });

  test("holds a file once, however often it is named, and every directory that a chain starts in", async () => {
    const script = plant("sub/s.sh");
    const evidence = await take(plan("cd sub && sh s.sh && sh s.sh"));
    expect(evidence.files.map(({ path }) => path)).toEqual([script, script]);
    const behind = heldBehind(evidence);
    expect(behind?.files.size).toBe(2);
    expect([...(behind?.directories.keys() ?? [])]).toEqual([root, at("sub")]);
    for (const { fd, path } of behind?.directories.values() ?? []) expect(fstatSync(fd).ino).toBe(statSync(path).ino);
  });

  test("holds a directory that may be entered and not listed", async () => {
    mkdirSync(at("closed"));
    chmodSync(at("closed"), 0o311);
    expect((await take(plan(["true"], at("closed")))).cwd.path).toBe(at("closed"));
  });
});

describe("what is held", () => {
  test("is kept by permission where only root could change it, and stays under its own path", async () => {
    const file = fileOf(await take(plan(["true"])), absolute(realpathSync("/usr/bin/true")));
    expect(file.kept).toBe("permission");
    expect(fstatSync(file.fd).ino).toBe(statSync(file.path).ino);
  });

  const systemScript = scriptOfRoots();
  describe.runIf(systemScript !== null)("of a script of root's (needs one in /usr/bin)", () => {
    const script = absolute(systemScript ?? "/");
    const keptOf = async (form: readonly string[] | string): Promise<string> => fileOf(await take(plan(form)), script).kept;

    test("is kept by permission where root alone decides where its name leads", async () => {
      expect(await keptOf([script])).toBe("permission");
      expect(await keptOf([baseName(script)])).toBe("permission");
      expect(await keptOf(["sh", script])).toBe("permission");
      expect(await keptOf(`sh ${script} && true`)).toBe("permission");
    });

    test("is not, where the name is a link that somebody else could point elsewhere", async () => {
      symlinkSync(script, at("link"));
      expect(await keptOf(["./link"])).not.toBe("permission");
      expect(await keptOf(["sh", "link"])).not.toBe("permission");
      expect(await keptOf("sh link && true")).not.toBe("permission");
      expect(await keptOf(["nice", "sh", "link"])).not.toBe("permission");
    });

    test("is not, where the name climbs out of a directory that could become a link", async () => {
      mkdirSync(at("sub"));
      const climbing = `${at("sub")}${"/..".repeat(at("sub").split("/").length - 1)}${script}`;
      expect(await keptOf(["sh", climbing])).not.toBe("permission");
      expect(await keptOf([climbing])).not.toBe("permission");
    });

    test("is not, where another could be put before it under the name by which it is found", async () => {
      const named = { ...planWith([script]), files: [{ argvIndex: -1, path: script }] };
      expect(fileOf(await take({ ...named, cwd: absolute(parentOf(script)) }), script).kept).toBe("permission");
      expect(fileOf(await take(named), script).kept).not.toBe("permission");
    });
  });

  describe.runIf(native !== null)("with native code", () => {
    test("lies above the numbers that a child uses for itself", async () => {
      plant("s.sh");
      const behind = heldBehind(await take(plan(["sh", "s.sh"])));
      const all = [...(behind?.files.values() ?? []), ...(behind?.directories.values() ?? [])];
      expect(all.length).toBe(3);
      for (const { fd } of all) expect(fd).toBeGreaterThanOrEqual(100);
    });

    test("is a sealed copy of a script, whatever becomes of the file", async () => {
      const script = plant("s.sh", "echo approved\n");
      const file = fileOf(await take(plan(["sh", "s.sh"])), script);
      writeFileSync(script, "echo evil, in place\n");
      expect(file.kept).toBe("seal");
      expect(contentOf(file).toString()).toBe("echo approved\n");
      expect(file.sha256).toBe(sha256Of("echo approved\n"));
      expect(() => writeSync(file.fd, "evil", 0)).toThrow("EPERM");
    });

    test("is a sealed copy of a script that is started by its own name too", async () => {
      const script = plant("tool", "#!/bin/sh\necho tool\n");
      expect(fileOf(await take(plan(["./tool"])), script).kept).toBe("seal");
    });

    test("is a sealed copy of a large script as of a small one", async () => {
      const content = Buffer.concat([Buffer.from("exit 0\n"), Buffer.alloc(3 * 1024 * 1024, "# padding\n")]);
      const file = fileOf(await take(plan(["sh", plant("large.sh", content)])), at("large.sh"));
      expect(file).toMatchObject({ kept: "seal", bytes: content.length, sha256: sha256Of(content) });
      expect(contentOf(file).equals(content)).toBe(true);
    });

    test("is a sealed copy of a program that somebody has open for writing", async () => {
      const program = plantProgram("mine");
      const before = readFileSync(program);
      const writer = openSync(program, "r+");
      const file = fileOf(await take(plan(["./mine"])), program);
      writeSync(writer, "evil", 0);
      closeSync(writer);
      expect(file.kept).toBe("seal");
      expect(contentOf(file).equals(before)).toBe(true);
    });

    test("is a sealed copy of a program that is also somebody's operand", async () => {
      const program = plantProgram("mine");
      const planned = { ...planWith([program]), executable: plan(["./mine"]).executable, nested: [plan(["./mine"]).executable] };
      const evidence = await take(planned);
      expect(fileOf(evidence, program).kept).toBe("seal");
      expect(heldBehind(evidence)?.files.size).toBe(1);
      const { executable, nested, files } = evidence;
      expect(new Set([executable, ...nested, ...files].map(({ sha256 }) => sha256)).size).toBe(1);
    });

    test("is a sealed copy of a program where leases prove nothing", async () => {
      const program = plantProgram("mine");
      holding.stop();
      holding = hold({ leasesHold: false });
      const file = fileOf(await take(plan(["./mine"])), program);
      expect(file.kept).toBe("seal");
      expect(await run(file)).toEqual({ exitCode: 0, signal: null });
    });

    test("is a script over its bound that is started by its own name, and is refused", async () => {
      const script = plant("huge", "#!/bin/sh\n");
      truncateSync(script, SCRIPT_BYTES_MAX + 1);
      expect(await refused(plan(["./huge"]))).toMatchObject({ code: "binding.unavailable", details: { field: "executable" } });
    });

    test("is only a descriptor where a program has no lease, and the kernel starts no anonymous file", async () => {
      const program = plantProgram("mine");
      holding.stop();
      const sealedFile = (name: string, bytes: Uint8Array, use: "data" | "program"): number => {
        if (use === "program") throw new SystemError("memfd_create", constants.errno.EACCES);
        return native?.sealedFile(name, bytes, use) ?? -1;
      };
      holding = hold({ native: native && { ...native, sealedFile }, leasesHold: false });
      const before = descriptors();
      const evidence = await take(plan(["./mine"]));
      expect(fileOf(evidence, program).kept).toBe("descriptor");
      holding.release(evidence);
      expect(descriptors()).toBe(before);
      expect(fileOf(await take(plan(["sh", plant("s.sh")])), at("s.sh")).kept).toBe("seal");
    });

    test("is only a descriptor where a program has no lease and is too large to copy", async () => {
      const program = plantProgram("mine");
      truncateSync(program, SEALED_PROGRAM_BYTES_MAX + 1);
      const writer = openSync(program, "r+");
      const file = fileOf(await take(plan(["./mine"])), program);
      closeSync(writer);
      expect(file.kept).toBe("descriptor");
      expect(fstatSync(file.fd).ino).toBe(statSync(program).ino);
    });
  });

  describe("without native code", () => {
    beforeEach(() => {
      holding.stop();
      holding = hold({ native: null });
    });

    test("is a descriptor, or a path where there are none to start from", async () => {
      const script = plant("s.sh");
      const kept = existsSync("/proc/self/fd") ? "descriptor" : "path";
      expect(fileOf(await take(plan(["sh", "s.sh"])), script)).toMatchObject({ kept, sha256: sha256Of("echo s.sh\n") });
      const program = plantProgram("mine");
      expect(fileOf(await take(plan(["./mine"])), program).kept).toBe(kept);
      expect(fileOf(await take(plan(["true"])), absolute(realpathSync("/usr/bin/true"))).kept).toBe("permission");
    });
  });
});

/** Whether this file system gives leases at all; not every one does. */
function givesLeases(directory: string): boolean {
  const path = join(directory, "leased");
  writeFileSync(path, "");
  const fd = openSync(path, "r");
  try {
    return native?.takeReadLease(fd) === true;
  } finally {
    closeSync(fd);
    unlinkSync(path);
  }
}

const probe = scratchDirectory();
const leased = native !== null && givesLeases(probe.path);
probe.remove();

describe.runIf(leased)("a lease (needs native code and a file system that gives leases)", () => {
  test("lies on a program of the child's own, which is started as the file it is", async () => {
    const program = plantProgram("mine");
    const file = fileOf(await take(plan(["./mine"])), program);
    expect(file).toMatchObject({ kept: "lease", sha256: sha256Of(readFileSync(program)) });
    expect(native?.holdsReadLease(file.fd)).toBe(true);
    expect(fstatSync(file.fd).ino).toBe(statSync(program).ino);
  });

  test("lets a writer in at once, long before the kernel would, and is then not whole any more", async () => {
    const program = plantProgram("mine");
    const evidence = await take(plan(["./mine"]));
    const began = performance.now();
    const status = await writeFromOutside(program);
    expect(status).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(native?.holdsReadLease(fileOf(evidence, program).fd)).toBe(false);
    expect((await take(plan(["./mine"]))).executable.sha256).not.toBe(evidence.executable.sha256);
  });

  test("is gone when it is released", async () => {
    const program = plantProgram("mine");
    const evidence = await take(plan(["./mine"]));
    holding.release(evidence);
    const writer = openSync(program, "r+");
    closeSync(writer);
  });

  test("is what makes a known hash worth something: a program that changed is read again", async () => {
    holding.stop();
    holding = hold({ nowMs: () => Date.now() + 60_000 });
    const program = plantProgram("mine");
    const first = await take(plan(["./mine"]));
    holding.release(first);
    const bytes = readFileSync(program);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(program, bytes);
    expect((await take(plan(["./mine"]))).executable.sha256).toBe(sha256Of(bytes));
  });

  function writeFromOutside(path: string): Promise<number | null> {
    const child = spawn("sh", ["-c", 'printf x >> "$0"', path], { stdio: "ignore" });
    return new Promise((resolve) => child.once("exit", resolve));
  }
});

describe.runIf(existsSync("/dev/shm") && has("python3"))("on tmpfs (needs /dev/shm and python3)", () => {
  test.each([
    ["with", native],
    ["without", null],
  ])("a program is read again each time %s native code: a store through a mapping leaves no trace there", async (_name, by) => {
    const place = absolute(join("/dev/shm", `cs-test-${process.pid}`));
    mkdirSync(place);
    try {
      const program = plantProgram("mine", place);
      holding.stop();
      holding = hold({ native: by, nowMs: () => Date.now() + 60_000 });
      const before = statSync(program, { bigint: true });
      const first = await take(plan([program]));
      holding.release(first);
      const store = "import mmap,os,sys; f=os.open(sys.argv[1],os.O_RDWR); m=mmap.mmap(f,0); x=m[-1]; m[-1]=x^1";
      execFileSync("python3", ["-c", store, program]);
      expect(statSync(program, { bigint: true }).ctimeNs).toBe(before.ctimeNs);
      expect((await take(plan([program]))).executable.sha256).not.toBe(first.executable.sha256);
    } finally {
      for (const evidence of held.splice(0)) holding.release(evidence);
      rmSync(place, { recursive: true });
    }
  });
});

describe("what cannot be held", () => {
  const unfit = [
    ["a file of procfs", "/proc/version"],
    ["a file of sysfs", "/sys/kernel/uevent_seqnum"],
    ["a device", "/dev/null"],
    ["a directory", "/usr"],
  ] as const;
  test.each(unfit.filter(([, path]) => existsSync(path)))("is %s, and is refused by name without a hash", async (_name, path) => {
    const why = await refused(planWith([absolute(path)]));
    expect(why).toMatchObject({ code: "binding.unavailable", details: { field: "files[0]", file: path } });
    expect(why.message).toMatch(/made up at each read|not a regular file/);
    expect(JSON.stringify(why)).not.toMatch(/[0-9a-f]{64}/);
  });

  test("is a FIFO, and nobody waits for its writer", async () => {
    execFileSync("mkfifo", [at("fifo")]);
    expect(await refused(planWith([at("fifo")]))).toMatchObject({
      code: "binding.unavailable",
      message: `\`${at("fifo")}\` is not a regular file; name one that is`,
    });
  });

  test("is a file that became a link after the plan", async () => {
    const planned = plan(["sh", plant("s.sh")]);
    renameSync(at("s.sh"), at("moved.sh"));
    symlinkSync("moved.sh", at("s.sh"));
    expect(await refused(planned)).toMatchObject({ code: "binding.unavailable", details: { file: at("s.sh") } });
  });

  test.runIf(process.platform === "linux")("is a file below a directory that became a link after the plan (Linux only)", async () => {
    plant("other/s.sh", "echo evil\n");
    const planned = plan(["sh", plant("dir/s.sh")]);
    renameSync(at("dir"), at("old"));
    symlinkSync("other", at("dir"));
    expect(await refused(planned)).toMatchObject({
      code: "binding.unavailable",
      message: `\`${at("dir/s.sh")}\` was moved or exchanged while it was opened; try again`,
    });
  });

  test("is a working directory that became a link, or went", async () => {
    mkdirSync(at("work"));
    mkdirSync(at("other"));
    const planned = plan(["true"], at("work"));
    renameSync(at("work"), at("old"));
    expect(await refused(planned)).toMatchObject({ code: "exec.cwd-invalid", details: { field: "cwd", path: at("work") } });
    symlinkSync("other", at("work"));
    expect(await refused(planned)).toMatchObject({ code: "exec.cwd-invalid", details: { field: "cwd" } });
  });

  test("is a script over its bound, and one at it is held", async () => {
    const script = plant("huge.sh", "");
    truncateSync(script, SCRIPT_BYTES_MAX + 1);
    expect(await refused(planWith([script]))).toMatchObject({
      code: "binding.unavailable",
      message: `\`${script}\` holds more than the ${SCRIPT_BYTES_MAX} bytes that can be bound; name a smaller file`,
    });
    truncateSync(script, SCRIPT_BYTES_MAX);
    expect(fileOf(await take(planWith([script])), script).bytes).toBe(SCRIPT_BYTES_MAX);
  });

  test("is a program over its bound", async () => {
    const program = plantProgram("mine");
    truncateSync(program, EXECUTABLE_BYTES_MAX + 1);
    expect(await refused(plan(["./mine"]))).toMatchObject({ code: "binding.unavailable", details: { field: "executable" } });
  });

  test("is what another user could not read, under runAs, and what that user could not enter", async () => {
    const stranger: Credentials = { uid: 3_999_999, gid: 3_999_999, gids: [3_999_999] };
    const identity = { credentials: stranger, isOurselves: false, account: null };
    const other = hold({ children: { identityOf: () => ({ ok: true, value: identity }) } });
    const script = plant("private.sh", "echo secret\n", 0o640);
    expect(await refused(plan(["sh", script]), other)).toMatchObject({
      code: "binding.unavailable",
      message: `\`${script}\` may not be read by the user that the command runs as; make it readable to that user`,
    });
    chmodSync(script, 0o644);
    other.release(await take(plan(["sh", script]), other));
    mkdirSync(at("closed"), { mode: 0o700 });
    expect(await refused(plan(["true"], at("closed")), other)).toMatchObject({ code: "exec.cwd-invalid" });
    other.stop();
  });

  test("is one sealed byte more than all runs together may have", () => {
    const sealed = countSealedBytes();
    expect(sealed.reserve(SEALED_BYTES_TOTAL_MAX - 1)).toBe(true);
    expect(sealed.reserve(2)).toBe(false);
    expect(sealed.reserve(1)).toBe(true);
    sealed.free(1);
    expect(sealed.reserve(1)).toBe(true);
  });
});

describe.runIf(existsSync("/proc/self/fd"))("descriptors (needs /proc)", () => {
  test("are all closed on release, which may be said twice", async () => {
    plant("s.sh");
    plantProgram("mine");
    const writer = openSync(plantProgram("written"), "r+");
    const commands = ["sh s.sh; ./mine; ./written", "cd / && true"].map((text) => plan(text));
    await Promise.all(commands.map(async (each) => holding.release(await take(each))));
    held.length = 0;
    const before = descriptors();
    for (const each of commands) {
      const evidence = await take(each);
      expect(descriptors()).toBeGreaterThan(before);
      holding.release(evidence);
      const fd = openSync("/dev/null", "r");
      holding.release(evidence);
      expect(fstatSync(fd).isCharacterDevice()).toBe(true);
      closeSync(fd);
    }
    held.length = 0;
    expect(descriptors()).toBe(before);
    closeSync(writer);
  });

  test("are all closed when the last of many files cannot be held", async () => {
    const scripts = ["a.sh", "b.sh", "c.sh"].map((name) => plant(name));
    const program = plantProgram("mine");
    await refused(planWith([at("absent.sh")]));
    const before = descriptors();
    const planned = { ...planWith([...scripts, at("absent.sh")]), executable: plan([program]).executable };
    expect(await refused(planned)).toMatchObject({ details: { field: "files[3]" } });
    expect(descriptors()).toBe(before);
    expect(await refused({ ...planned, cwd: at("absent") })).toMatchObject({ code: "exec.cwd-invalid" });
    expect(descriptors()).toBe(before);
  });

  const FEW_DESCRIPTORS = 200;
  test.runIf(native !== null).each([0, 1, 2, 3, 4])(
    "that run out after %i more are the daemon's own trouble, and none is left open",
    async (left) => {
      const planned = plan(["sh", plant("s.sh")]);
      const before = descriptors();
      const hoard: number[] = [];
      const limit = native?.descriptorLimit() ?? { soft: 0, hard: 0 };
      native?.setDescriptorLimit(FEW_DESCRIPTORS, limit.hard);
      try {
        for (;;) hoard.push(openSync("/dev/null", "r"));
      } catch {
        for (const fd of hoard.splice(hoard.length - left)) closeSync(fd);
      }
      try {
        expect(await refused(planned)).toMatchObject({ code: "overloaded" });
      } finally {
        for (const fd of hoard) closeSync(fd);
        native?.setDescriptorLimit(limit.soft, limit.hard);
      }
      expect(descriptors()).toBe(before);
    },
  );
});
