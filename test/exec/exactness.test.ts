import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { VerifiedExec } from "../../src/binding/verify.ts";
import { ok } from "../../src/core/result.ts";
import { loadNative } from "../../src/native/libc.ts";
import { type Lab, openLab } from "./launching.ts";

const native = loadNative();
/** Somebody else's doing, while our own loop turns: a writer waits until a lease is let go. */
const elsewhere = (script: string): Promise<void> =>
  new Promise((resolve) => {
    spawn("/bin/sh", ["-c", script], { stdio: "ignore" }).once("exit", () => resolve());
  });

const canRun = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

describe.each(native === null ? ["pinned"] : ["sealed", "pinned"])("at the level %s what starts is what was looked at", (level) => {
  let lab: Lab;
  const at = (path: string): string => join(lab.root, "work", path);
  const isSealed = level === "sealed";
  beforeEach(async () => {
    lab = await openLab(isSealed ? native : null);
  });
  afterEach(() => lab.stop());

  /** A program that anybody could change. */
  function ownProgram(name: string, from = "/bin/sh"): string {
    copyFileSync(realpathSync(from), at(name));
    chmodSync(at(name), 0o777);
    return at(name);
  }

  test("a directory that was exchanged for another is still the one that is started in", async () => {
    mkdirSync(at("here"));
    lab.write("here/file", "right");
    const exchange = (): void => {
      renameSync(at("here"), at("there"));
      mkdirSync(at("here"));
      writeFileSync(at("here/file"), "wrong");
    };
    expect(await lab.output(["/bin/cat", "file"], { cwd: at("here"), meanwhile: exchange })).toBe("right");
  });

  test("a program that was replaced by another is still the one that starts, under the name it was called by", async () => {
    ownProgram("tool");
    const { result, stdout } = await lab.run(["./tool", "-c", 'echo "$0"; readlink /proc/$$/exe'], {
      meanwhile() {
        renameSync(at("tool"), at("tool.old"));
        lab.write("tool", "#!/bin/sh\necho EVIL\n");
      },
    });
    expect(stdout).toBe(`./tool\n${at("tool.old")}\n`);
    expect(result).toMatchObject({ ok: true, value: { enforcement: level } });
  });

  test("a program that was written to is not run as if nothing had happened", async () => {
    ownProgram("tool");
    const { result, stdout } = await lab.run(["./tool", "-c", "echo ran"], {
      meanwhile: () => elsewhere(`printf '#!/bin/sh\\necho EVIL\\n' > ${at("tool")}`),
    });
    expect(result).toMatchObject({ ok: false, failure: { code: "exec.changed-after-start" } });
    if (isSealed) expect(stdout).toBe("");
  });

  test.runIf(isSealed)("a program somebody is about to write to is refused, and the writer is let in afterwards", async () => {
    ownProgram("tool");
    const { result } = await lab.run(["./tool", "-c", "echo ran"], {
      meanwhile: () => elsewhere(`: >> ${at("tool")}`),
    });
    expect(result).toMatchObject({ ok: false, failure: { code: "exec.changed-after-start" } });
    writeFileSync(at("tool"), "free again");
  });

  test("a script whose #! line was changed is run by the interpreter it had", async () => {
    lab.write("script", '#!/bin/sh\necho "by sh: $0 $1"\n');
    const swap = (): void => {
      renameSync(at("script"), at("script.old"));
      lab.write("script", "#!/usr/bin/env python3\nprint('EVIL')\n");
    };
    expect(await lab.output(["./script", "x"], { meanwhile: swap })).toBe("by sh: ./script x\n");
  });

  test("a script's interpreter that is itself a script is held too", async () => {
    lab.write("interpreter", '#!/bin/sh\necho "interpreter $0 runs $1 with $2"\nexec /bin/sh "$@"\n');
    lab.write("script", `#!${at("interpreter")}\necho "$0 and $1"\n`);
    const swap = (): void => {
      renameSync(at("interpreter"), at("interpreter.old"));
      lab.write("interpreter", "#!/bin/sh\necho EVIL\n");
    };
    expect(await lab.output(["./script", "x"], { meanwhile: swap })).toBe(
      `interpreter ${at("interpreter")} runs ./script with x\n./script and x\n`,
    );
  });

  test("options of the #! line are carried over as one word, as the kernel does", async () => {
    lab.write("script", "#!/bin/sh -eu\ncase $- in *e*) echo e ;; esac; case $- in *u*) echo u ;; esac; false; echo unreached\n");
    expect(await lab.run(["./script"])).toMatchObject({ stdout: "e\nu\n", result: { value: { exitCode: 1, enforcement: level } } });
  });

  test("a wrapper's script is sealed, and keeps its name", async () => {
    lab.write("script.sh", 'echo "$0 $1"\n');
    for (const wrapper of [["nice", "-n", "5"], ["timeout", "9"], ["env"], ["nohup"]]) {
      const { result, stdout } = await lab.run([...wrapper, "sh", "./script.sh", "x"], { meanwhile: () => swapScript("script.sh") });
      expect({ wrapper, stdout }).toEqual({ wrapper, stdout: "./script.sh x\n" });
      expect(result).toMatchObject({ ok: true, value: { enforcement: level, exitCode: 0 } });
      lab.write("script.sh", 'echo "$0 $1"\n');
    }
    function swapScript(name: string): void {
      renameSync(at(name), at(`${name}.old`));
      lab.write(name, "echo EVIL\n");
    }
  });

  test("a wrapper's program that anybody could change goes by its path, and the level says so", async () => {
    ownProgram("tool");
    const { result, stdout } = await lab.run(["nice", "./tool", "-c", 'echo "$0"']);
    expect(stdout).toBe(`${at("tool")}\n`);
    expect(result).toMatchObject({ ok: true, value: { enforcement: "checked" } });
  });

  test("what can only be checked is refused where more is demanded, and nothing is started", async () => {
    const script = lab.write("source.sh", `echo "\${BASH_SOURCE[0]}" > ${at("mark")}\n`);
    const { result } = await lab.run(["bash", script], { io: { minEnforcement: "pinned" } });
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "exec.enforcement-too-low", details: { level: "checked", demanded: "pinned" } },
    });
    expect(existsSync(at("mark"))).toBe(false);
    expect(await lab.run(["bash", script])).toMatchObject({ result: { value: { enforcement: "checked" } } });
    expect(existsSync(at("mark"))).toBe(true);
  });

  test("a script that can only be checked and was changed is not started", async () => {
    const script = lab.write("source.sh", 'echo "${BASH_SOURCE[0]}"\n');
    const { result, stdout } = await lab.run(["bash", script], { meanwhile: () => writeFileSync(script, "echo EVIL\n") });
    expect(result).toMatchObject({ ok: false, failure: { code: "exec.changed-after-start" } });
    expect(stdout).toBe("");
  });

  test("a makefile is only checked, because make opens it by its name", async () => {
    lab.write("Makefile", "all:\n\t@echo made\n");
    const ran = await lab.run(["make"]);
    expect(ran.stdout).toBe("made\n");
    expect(ran.result).toMatchObject({ value: { enforcement: "checked" } });
  });

  test.runIf(existsSync("/usr/bin/busybox"))("a multiplexer is what it is called (needs busybox)", async () => {
    symlinkSync("/usr/bin/busybox", at("cat"));
    lab.write("file", "content");
    expect(await lab.output(["./cat", "file"])).toBe("content");
  });

  test.runIf(canRun("/usr/bin/python3", "-c", "import venv"))("a venv's python finds its venv (needs python3 with venv)", async () => {
    spawnSync("/usr/bin/python3", ["-m", "venv", "--without-pip", at("venv")]);
    const shown = "import sys; print(sys.prefix, sys.executable)";
    const expected = `${at("venv")} ${at("venv/bin/python")}\n`;
    expect(await lab.output(["venv/bin/python", "-c", shown])).toBe(expected);
    lab.write("script.py", `#!${at("venv/bin/python")}\n${shown}\n`);
    expect(await lab.output(["venv/bin/python", "script.py"])).toBe(expected);
    expect(await lab.output(["./script.py"])).toBe(expected);
  });

  test("something that verify() did not make is not launched", async () => {
    const io = {
      mayStart: Promise.resolve(ok(undefined)),
      stdin: null,
      timeoutMs: 1,
      signal: new AbortController().signal,
      minEnforcement: null,
      runAs: null,
      output: () => undefined,
    };
    const forged = JSON.parse("{}");
    const launch = async (verified: VerifiedExec): Promise<unknown> => lab.host.launch(verified, io);
    await expect(launch(forged)).rejects.toThrow("verify()");
  });
});
