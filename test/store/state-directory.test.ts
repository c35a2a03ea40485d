import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { STATE_LINKS_FOLLOWED_MAX } from "../../src/core/limits.ts";
import { inspectStateDirectory } from "../../src/store/inspect.ts";
import { openStateDirectory, repairStateDirectory } from "../../src/store/state-directory.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const UID = process.getuid?.() ?? 0;
let scratch: Scratch;
let state: AbsolutePath;
beforeEach(() => {
  scratch = scratchDirectory();
  state = path(join(scratch.path, "state"));
});
afterEach(() => scratch.remove());

function path(text: string): AbsolutePath {
  const parsed = parseAbsolutePath(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.value;
}

function open(directory = state, uid = UID): ReturnType<typeof openStateDirectory> {
  return openStateDirectory({ directory, uid });
}

/** A state directory as a daemon leaves it. */
function furnished(): void {
  open();
  for (const name of ["exec-approvals.json", "operator.token", "approval-token.key", "countersign.json5", "trust.json"]) {
    writeFileSync(join(state, name), "x", { mode: 0o600 });
  }
  writeFileSync(join(state, "audit", "head"), "x", { mode: 0o600 });
  writeFileSync(join(state, "approvals", "a.json"), "x", { mode: 0o600 });
}

describe("a state directory that is not there", () => {
  test("is made with its parts, at 0700, whatever the umask is", () => {
    const before = process.umask(0o777);
    try {
      // A directory made on the way must be usable too, so the parents are there already.
      expect(open()).toMatchObject({ ok: true, value: { directory: state, socket: `${state}/exec-approvals.sock` } });
    } finally {
      process.umask(before);
    }
    for (const name of ["", "approvals", "audit"]) expect(statSync(join(state, name)).mode & 0o7777).toBe(0o700);
  });

  test("is made with its parents", () => {
    const deep = path(join(scratch.path, "a/b/c"));
    expect(open(deep)).toMatchObject({ ok: true, value: { audit: `${deep}/audit` } });
    expect(statSync(join(scratch.path, "a")).mode & 0o077).toBe(0);
  });

  test("is not made below a directory that others can write to", () => {
    chmodSync(scratch.path, 0o777);
    expect(open()).toMatchObject({ ok: false, failure: { code: "config.invalid", details: { path: scratch.path } } });
    expect(existsSync(state)).toBe(false);
  });
});

interface Harm {
  readonly name: string;
  readonly harm: () => void;
  readonly says: RegExp;
  /** Whether `doctor --fix` can mend it. */
  readonly mends: boolean;
}

const at = (...names: readonly string[]): string => join(state, ...names);
const HARMS: readonly Harm[] = [
  {
    name: "a document that others can read holds a token",
    harm: () => chmodSync(at("exec-approvals.json"), 0o640),
    says: /exec-approvals\.json` can be read by others \(0640\); run `countersign doctor --fix`/,
    mends: true,
  },
  {
    name: "a document that others can write",
    harm: () => chmodSync(at("exec-approvals.json"), 0o620),
    says: /can be written by others \(0620\)/,
    mends: true,
  },
  {
    name: "an operator token that others can read",
    harm: () => chmodSync(at("operator.token"), 0o604),
    says: /operator\.token` can be read/,
    mends: true,
  },
  {
    name: "a signing key that others can read",
    harm: () => chmodSync(at("approval-token.key"), 0o644),
    says: /approval-token\.key` can be read/,
    mends: true,
  },
  {
    name: "settings that others can write",
    harm: () => chmodSync(at("countersign.json5"), 0o666),
    says: /countersign\.json5` can be written/,
    mends: true,
  },
  {
    name: "a trust store that others can write",
    harm: () => chmodSync(at("trust.json"), 0o602),
    says: /trust\.json` can be written/,
    mends: true,
  },
  {
    name: "a journal that others can write",
    harm: () => chmodSync(at("audit", "head"), 0o660),
    says: /audit\/head` can be written/,
    mends: true,
  },
  {
    name: "an approval record that others can read",
    harm: () => chmodSync(at("approvals", "a.json"), 0o644),
    says: /a\.json` can be read/,
    mends: true,
  },
  {
    name: "records in a directory that others can list",
    harm: () => chmodSync(at("approvals"), 0o755),
    says: /approvals` can be read/,
    mends: true,
  },
  {
    name: "a journal in a directory that others can write to",
    harm: () => chmodSync(at("audit"), 0o733),
    says: /audit` can be written/,
    mends: true,
  },
  {
    name: "a state directory that others can write to",
    harm: () => chmodSync(state, 0o770),
    says: /state` can be written by others \(0770\)/,
    mends: true,
  },
  {
    name: "a parent that others can write to",
    harm: () => chmodSync(scratch.path, 0o777),
    says: /lies above the state directory and can be written/,
    mends: true,
  },
  {
    name: "a document that is a link",
    harm: () => link("exec-approvals.json"),
    says: /exec-approvals\.json` is a symbolic link/,
    mends: false,
  },
  { name: "a token that is a link", harm: () => link("operator.token"), says: /operator\.token` is a symbolic link/, mends: false },
  { name: "settings that are a link", harm: () => link("countersign.json5"), says: /countersign\.json5` is a symbolic link/, mends: false },
  { name: "a journal behind a link", harm: () => link("audit"), says: /audit` is a symbolic link/, mends: false },
  {
    name: "a socket that is a link",
    harm: () => symlinkSync("/dev/null", at("exec-approvals.sock")),
    says: /sock` is a symbolic link/,
    mends: false,
  },
  {
    name: "a file where the socket belongs",
    harm: () => writeFileSync(at("exec-approvals.sock"), ""),
    says: /sock` is not a socket/,
    mends: false,
  },
  { name: "a directory where the token belongs", harm: () => mkdirSync(at("host-id")), says: /host-id` is not a file/, mends: false },
  {
    name: "OpenClaw's own directory, by what lies in it",
    harm: () => writeFileSync(at("openclaw.json"), "{}"),
    says: /OpenClaw's own/,
    mends: false,
  },
];

function link(name: string): void {
  renameSync(at(name), join(scratch.path, "elsewhere"));
  symlinkSync(join(scratch.path, "elsewhere"), at(name));
}

describe("what is refused, and what the doctor does about it", () => {
  test("a directory as a daemon leaves it has no findings", () => {
    furnished();
    expect(inspectStateDirectory(state, UID)).toEqual([]);
    expect(open().ok).toBe(true);
  });

  test.each(HARMS)("$name", ({ harm, says, mends }) => {
    furnished();
    harm();
    const modes = (): readonly string[] => readdirSync(state).map((name) => `${name} ${lstatSync(at(name)).mode}`);
    const before = modes();
    const opened = open();
    expect(opened).toMatchObject({ ok: false, failure: { code: "config.invalid" } });
    expect(opened.ok ? "" : opened.failure.message).toMatch(says);
    expect(modes()).toEqual(before);
    const repairs = repairStateDirectory(inspectStateDirectory(state, UID));
    expect(repairs.map(({ outcome }) => outcome)).toEqual([mends ? "mended" : "left"]);
    expect(open().ok).toBe(mends);
  });

  test("something that another user owns", () => {
    furnished();
    // Only root can give files away; anybody else asks as if they were someone else.
    if (UID === 0) chownSync(at("operator.token"), 54321, 54321);
    const opened = open(state, UID === 0 ? 0 : UID + 1);
    expect(opened.ok ? "" : opened.failure.message).toMatch(/is owned by uid \d+/);
  });

  test("OpenClaw's own directory, by its name", () => {
    for (const name of [".openclaw", ".openclaw-work"]) {
      const directory = path(join(scratch.path, name));
      mkdirSync(directory, { mode: 0o700 });
      expect(open(directory)).toMatchObject({ ok: false, failure: { code: "config.invalid" } });
    }
    expect(open(path(join(scratch.path, ".openclaw", "countersign"))).ok).toBe(true);
  });

  test("a directory that others can list is only warned about, since its files are closed", () => {
    furnished();
    chmodSync(state, 0o755);
    expect(inspectStateDirectory(state, UID)).toMatchObject([{ path: state, weight: "warns", mode: 0o700 }]);
    expect(open().ok).toBe(true);
  });
});

describe("links on the way", () => {
  test("one of our own is resolved once", () => {
    mkdirSync(join(scratch.path, "real"), { mode: 0o700 });
    symlinkSync("real", join(scratch.path, "link"));
    expect(open(path(join(scratch.path, "link/state")))).toMatchObject({
      ok: true,
      value: { directory: join(scratch.path, "real/state") },
    });
  });

  test("the state directory itself must not be one", () => {
    mkdirSync(join(scratch.path, "real"), { mode: 0o700 });
    symlinkSync("real", state);
    expect(open()).toMatchObject({ ok: false, failure: { code: "config.invalid", details: { reason: "is a symbolic link" } } });
  });

  test("one that leads through a directory others can write to is refused, although the way back is clean", () => {
    mkdirSync(join(scratch.path, "open"), { mode: 0o700 });
    mkdirSync(join(scratch.path, "real"), { mode: 0o700 });
    symlinkSync("../real", join(scratch.path, "open/hop"));
    symlinkSync("open/hop", join(scratch.path, "link"));
    chmodSync(join(scratch.path, "open"), 0o777);
    expect(open(path(join(scratch.path, "link/state")))).toMatchObject({
      ok: false,
      failure: { details: { path: join(scratch.path, "open") } },
    });
  });

  test("the sticky bit keeps others from renaming what is ours", () => {
    chmodSync(scratch.path, 0o1777);
    expect(open().ok).toBe(true);
  });

  test("a loop ends", () => {
    symlinkSync("loop", join(scratch.path, "loop"));
    const opened = open(path(join(scratch.path, "loop/state")));
    expect(opened.ok ? "" : opened.failure.message).toMatch(/leads through too many links/);
    expect(STATE_LINKS_FOLLOWED_MAX).toBe(40);
  });
});
