import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadNative } from "../../src/native/libc.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";
import { countersign } from "../support/countersign.ts";
import { startTestDaemon } from "../support/daemon.ts";
import { type Asked, type Lab, openLab } from "./launching.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = accountOf("nobody");

describe.runIf(isRoot && loadNative() !== null && NOBODY !== null)("commands under another account (needs root and native code)", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab();
    chmodSync(lab.root, 0o755);
  });
  afterEach(async () => lab.stop());

  const asNobody = (more: Asked = {}): Asked => ({ ...more, settings: { runAs: "nobody" }, io: { runAs: "nobody", ...more.io } });
  const status = (text: string): Readonly<Record<string, string>> => Object.fromEntries(text.split("\n").map((line) => line.split(/:\s+/)));

  test("have that account's uid in all four places, its groups, no capability and no way back", async () => {
    const found = status(await lab.output(["cat", "/proc/self/status"], asNobody()));
    expect(found["Uid"]).toBe([1, 2, 3, 4].map(() => NOBODY?.uid).join("\t"));
    expect(found["Gid"]).toBe([1, 2, 3, 4].map(() => NOBODY?.gid).join("\t"));
    expect(found["Groups"]?.trim()).toBe(String(NOBODY?.gid));
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapAmb"]) expect(found[set]).toBe("0000000000000000");
    expect(found["NoNewPrivs"]).toBe("1");
  });

  test("cannot read what is the daemon's", async () => {
    writeFileSync(join(lab.root, "state/operator.token"), "secret", { mode: 0o600 });
    const { stdout, stderr } = await lab.run(["cat", join(lab.root, "state/operator.token")], asNobody());
    expect([stdout, stderr]).toEqual(["", expect.stringContaining("Permission denied")]);
  });

  test("leave the daemon who it was, whether they start or not", async () => {
    for (const words of [["true"], [lab.write("broken", "#!/nonexistent/interpreter\n")]]) {
      await lab.run(words, asNobody()).catch(() => undefined);
      expect([process.getuid?.(), process.geteuid?.(), process.getegid?.()]).toEqual([0, 0, 0]);
      expect(status(readFileSync("/proc/thread-self/status", "utf8"))["Uid"]).toBe("0\t0\t0\t0");
      expect(lab.write("still-ours", "x")).toContain("still-ours");
    }
    expect(await lab.output(["id", "-u"])).toBe("0\n");
  });

  test("run a sealed script of their own user's, with its name and its words", async () => {
    const path = lab.write("hello.sh", '#!/bin/sh\necho "$0" "$1" $(id -un)\n');
    expect(await lab.output([path, "there"], asNobody())).toBe(`${path} there nobody\n`);
  });

  test("are called by the name they were asked for: a program may depend on it", async () => {
    mkdirSync(join(lab.root, "work/bin"));
    symlinkSync("/bin/sh", join(lab.root, "work/bin/mysh"));
    expect(await lab.output([join(lab.root, "work/bin/mysh"), "-c", "tr '\\0' ' ' < /proc/$$/cmdline"], asNobody())).toContain(
      "work/bin/mysh -c",
    );
  });

  test("make a pipeline of processes that all are that account", async () => {
    expect(await lab.output("id -u | cat && id -u", asNobody())).toBe(`${NOBODY?.uid}\n${NOBODY?.uid}\n`);
  });

  test("are ended with everything they started when their time is over", async () => {
    const { result } = await lab.run(["sh", "-c", "setsid sleep 100 & sleep 100"], asNobody({ io: { timeoutMs: 300 } }));
    expect(result).toMatchObject({ ok: true, value: { timedOut: true, escaped: [] } });
  });

  test("are refused before anything is looked at where there is no native code to become somebody with", async () => {
    const without = await openLab(null);
    try {
      expect(without.host.childOf({ ...EXEC_SETTINGS_DEFAULT, runAs: "nobody" })).toMatchObject({
        ok: false,
        failure: { code: "config.invalid" },
      });
    } finally {
      await without.stop();
    }
  });
});

test.runIf(isRoot && loadNative() !== null && NOBODY !== null)(
  "a daemon whose settings say runAs starts nothing as itself (needs root and native code)",
  async () => {
    const daemon = await startTestDaemon({
      document: { version: 1, defaults: { security: "full", ask: "off" } },
      settings: { tools: { exec: { runAs: "nobody" } } },
    });
    try {
      const { stdout } = await countersign(["run", "--state-dir", daemon.stateDir, "--cwd", "/", "--", "id", "-un"], {
        env: { HOME: daemon.home },
      });
      expect(stdout).toBe("nobody\n");
    } finally {
      await daemon.stop();
    }
  },
);

function accountOf(name: string): { readonly uid: number; readonly gid: number } | null {
  const row = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([who]) => who === name);
  return row === undefined ? null : { uid: Number(row[2]), gid: Number(row[3]) };
}
