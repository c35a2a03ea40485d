import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { installationOf } from "../../../src/cli/service/installation.ts";
import { readTemplate } from "../../../src/cli/service/templates.ts";
import { countersign } from "../../support/countersign.ts";
import { startTestDaemon } from "../../support/daemon.ts";
import { type Scratch, scratchDirectory } from "../../support/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(() => scratch.remove());

const SERVICE = "etc/systemd/system/countersign.service";
const DROP_INS = "etc/systemd/system/countersign.service.d";
const here = (path: string): string => join(scratch.path, path);
const read = (path: string): string => readFileSync(here(path), "utf8");
const filesBelow = (): readonly string[] =>
  readdirSync(scratch.path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(scratch.path.length + 1))
    .sort();

async function install(...flags: readonly string[]) {
  return countersign(["install", ...flags, "--root", scratch.path], { env: { HOME: "/home/u" } });
}
async function uninstall(...flags: readonly string[]) {
  return countersign(["uninstall", ...flags, "--root", scratch.path], { env: { HOME: "/home/u" } });
}

describe.runIf(process.platform === "linux")("install, on Linux", () => {
  test("--user writes a socket and a service, says so, and says what to do next", async () => {
    const { exitCode, stdout } = await install("--user");
    expect(exitCode).toBe(0);
    expect(filesBelow()).toEqual(["home/u/.config/systemd/user/countersign.service", "home/u/.config/systemd/user/countersign.socket"]);
    expect(stdout).toContain(`wrote      ${here("home/u/.config/systemd/user/countersign.service")}`);
    expect(stdout).toContain("systemctl --user enable --now countersign.service");
  });

  test("--system --run-as --strict writes everything that deployment takes", async () => {
    expect((await install("--system", "--run-as", "agent", "--strict")).exitCode).toBe(0);
    expect(filesBelow()).toEqual([
      "etc/countersign/countersign.json5",
      "etc/systemd/system/countersign.service",
      "etc/systemd/system/countersign.service.d/run-as.conf",
      "etc/systemd/system/countersign.service.d/strict.conf",
      "etc/systemd/system/countersign.socket",
    ]);
    expect(read("etc/countersign/countersign.json5")).toContain('runAs: "agent"');
    expect(read(`${DROP_INS}/run-as.conf`)).toMatch(/^ExecStart=\/.*node.* \/.*main\.js daemon --allow-root /m);
  });

  test("a second time changes nothing", async () => {
    await install("--system", "--run-as", "agent");
    const { stdout } = await install("--system", "--run-as", "agent", "--json");
    const { files }: { readonly files: readonly { readonly outcome: string }[] } = JSON.parse(stdout);
    expect(new Set(files.map(({ outcome }) => outcome))).toEqual(new Set(["unchanged"]));
  });

  test("with fewer flags than before, what belonged to the others goes", async () => {
    await install("--system", "--run-as", "agent", "--strict");
    const { stdout } = await install("--system", "--run-as", "agent");
    expect(stdout).toContain(`removed    ${here(`${DROP_INS}/strict.conf`)}`);
    expect(filesBelow()).not.toContain(`${DROP_INS}/strict.conf`);
  });

  test("a unit of an older version is brought up to date", async () => {
    await install("--system");
    writeFileSync(here(SERVICE), read(SERVICE).replace("WatchdogSec=30s", "WatchdogSec=31s"));
    expect((await install("--system")).stdout).toContain(`updated    ${here(SERVICE)}`);
    expect(read(SERVICE)).toContain("WatchdogSec=30s");
  });

  test("settings that somebody edited are kept, by install and by uninstall", async () => {
    await install("--system", "--run-as", "agent");
    writeFileSync(here("etc/countersign/countersign.json5"), "{ /* mine */ }");
    expect((await install("--system", "--run-as", "agent")).stdout).toContain("kept");
    await uninstall("--system");
    expect(filesBelow()).toEqual(["etc/countersign/countersign.json5"]);
  });

  test("a unit that somebody else wrote stops it before anything is written", async () => {
    mkdirSync(here("etc/systemd/system"), { recursive: true });
    writeFileSync(here(SERVICE), "[Service]\nExecStart=/bin/true\n");
    const { exitCode, stderr } = await install("--system");
    expect([exitCode, filesBelow()]).toEqual([4, [SERVICE]]);
    expect(stderr).toContain("was not written by `countersign install`");
    await uninstall("--system");
    expect(filesBelow()).toEqual([SERVICE]);
  });

  test("uninstall removes every file of any installation, and the links that enabling made", async () => {
    await install("--system", "--run-as", "agent", "--strict");
    for (const [target, unit] of [
      ["sockets", "socket"],
      ["multi-user", "service"],
    ]) {
      mkdirSync(here(`etc/systemd/system/${target}.target.wants`));
      symlinkSync(`../countersign.${unit}`, here(`etc/systemd/system/${target}.target.wants/countersign.${unit}`));
    }
    const { exitCode, stdout } = await uninstall("--system");
    expect([exitCode, filesBelow()]).toEqual([0, []]);
    expect(readdirSync(here("etc/systemd/system"))).toEqual(["multi-user.target.wants", "sockets.target.wants"]);
    expect(stdout).toContain("systemctl daemon-reload");
    expect((await uninstall("--system")).stdout).toContain("nothing was installed here");
  });

  test.each([
    { name: "neither form named", flags: [], says: "say which" },
    { name: "both forms named", flags: ["--user", "--system"], says: "say which" },
    { name: "commands as root", flags: ["--system", "--run-as", "root"], says: "above the daemon" },
    { name: "commands as the daemon", flags: ["--system", "--run-as", "countersign"], says: "read its tokens" },
    { name: "an account that is no name", flags: ["--system", "--run-as", "a b\nUser=root"], says: "not an account's name" },
    { name: "an account for a user's service", flags: ["--user", "--run-as", "agent"], says: "go with --system" },
  ])("$name: refused as a mistake in the words, and nothing is written", async ({ flags, says }) => {
    const { exitCode, stderr } = await install(...flags);
    expect([exitCode, filesBelow()]).toEqual([64, []]);
    expect(stderr).toContain(says);
  });

  test("a state directory whose socket could never be bound is refused before anything is written", async () => {
    const { exitCode, stderr } = await install("--user", "--state-dir", `/${"d".repeat(120)}`);
    expect([exitCode, filesBelow()]).toEqual([78, []]);
    expect(stderr).toContain("unix(7) allows 107");
  });

  test("without --run-as the weakness is named", async () => {
    expect((await install("--system")).stderr).toContain("could read its tokens");
    expect((await install("--system", "--run-as", "agent")).stderr).not.toContain("could read its tokens");
  });

  test.runIf(process.getuid?.() !== 0)("a system service without root is refused (needs an ordinary user)", async () => {
    const { exitCode, stderr } = await countersign(["install", "--system"]);
    expect(exitCode).toBe(77);
    expect(stderr).toContain("sudo");
  });
});

test.runIf(process.platform === "linux")("status names the unit that looks after the daemon it asked", async () => {
  const daemon = await startTestDaemon();
  try {
    const status = async () => (await countersign(["status", "--state-dir", daemon.stateDir], { env: { HOME: daemon.home } })).stdout;
    expect(await status()).not.toContain("service");
    await countersign(["install", "--user", "--state-dir", daemon.stateDir], { env: { HOME: daemon.home } });
    // A long path goes on in the next line.
    expect((await status()).replaceAll(/\n +/g, "")).toMatch(/service +\S+\/\.config\/systemd\/user\/countersign\.service/);
  } finally {
    await daemon.stop();
  }
});

const hasSystemd = process.platform === "linux" && canRun("systemd-analyze", ["--version"]);

describe.runIf(hasSystemd)("the units, where systemd-analyze is there to judge them", () => {
  const analyze = (...words: readonly string[]): string =>
    execFileSync("systemd-analyze", words, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, XDG_RUNTIME_DIR: scratch.path },
    });
  const complaints = (...words: readonly string[]): string => {
    try {
      return execFileSync("sh", ["-c", 'exec systemd-analyze "$@" 2>&1', "sh", ...words], {
        encoding: "utf8",
        env: { ...process.env, XDG_RUNTIME_DIR: scratch.path },
      });
    } catch (error) {
      return String(error instanceof Error && "stdout" in error ? error.stdout : error);
    }
  };
  const exposure = (unit: string): number =>
    Number(/Overall exposure level for countersign\.service: ([\d.]+)/.exec(analyze("security", "--offline=true", unit))?.[1]);

  test.each([
    { name: "the user's", flags: ["--user"], manager: ["--user"], below: "home/u/.config/systemd/user" },
    { name: "the system's", flags: ["--system"], manager: [], below: "etc/systemd/system" },
    {
      name: "the system's with every drop-in",
      flags: ["--system", "--run-as", "agent", "--strict"],
      manager: [],
      below: "etc/systemd/system",
    },
  ])("verify finds nothing to say about $name units", async ({ flags, manager, below }) => {
    await install(...flags);
    for (const unit of ["countersign.service", "countersign.socket"]) {
      expect(complaints(...manager, "verify", here(join(below, unit)))).toBe("");
    }
  });

  test.each(["systemd/countersign.service", "systemd/countersign.socket"])(
    "the shipped %s is clean as it stands, for packagers",
    (unit) => {
      expect(complaints("verify", join(import.meta.dirname, "../../..", unit))).toBe("");
    },
  );

  test("verify would say something about a unit that is broken", async () => {
    await install("--system");
    writeFileSync(here(SERVICE), read(SERVICE).replace("KillMode=mixed", "KillMode=sometimes"));
    expect(complaints("verify", here(SERVICE))).toContain("kill mode");
  });

  test("the system service's exposure is at most 5.5, and 3.0 with strict.conf, whichever account the commands have", async () => {
    await install("--system");
    expect(exposure(here(SERVICE))).toBeLessThanOrEqual(5.5);
    await install("--system", "--strict");
    expect(exposure(here(SERVICE))).toBeLessThanOrEqual(3.0);
    await install("--system", "--run-as", "agent", "--strict");
    expect(exposure(here(SERVICE))).toBeLessThanOrEqual(3.0);
  });
});

describe("the shipped files", () => {
  test.each(["systemd/countersign.service", "systemd/user/countersign.service", "systemd/strict.conf", "systemd/run-as.conf"] as const)(
    "every hardening line of %s has its comment",
    (name) => {
      const lines = readTemplate(name).split("\n");
      const from = Math.max(
        0,
        lines.findIndex((line) => line.startsWith("# --- Hardening")),
      );
      const uncommented = lines.filter((line, at) => {
        if (/^(?:Group|ExecStart)=/.test(line)) return false;
        if (at < from || !/^[A-Z]\w+=/.test(line)) return false;
        // Two settings that only make sense together share one comment.
        const before = /^[A-Z]\w+=/.test(lines[at - 1] ?? "") ? lines[at - 2] : lines[at - 1];
        return before?.startsWith("#") !== true;
      });
      expect(uncommented).toEqual([]);
    },
  );

  test("every line of strict.conf says what it breaks", () => {
    const text = readTemplate("systemd/strict.conf");
    expect(text.match(/^# Breaks: /gm)?.length).toBe(text.match(/^(?!ReadWritePaths|IPAddressAllow)[A-Z]\w+=/gm)?.length);
  });

  test("the launchd agent is as the golden file has it", () => {
    const { files } = installationOf(
      { kind: "launchd", runAs: null, strict: false, stateDir: null },
      {
        program: { node: "/opt/homebrew/bin/node", main: "/opt/homebrew/lib/node_modules/countersign/build/bin/main.js" },
        native: false,
        home: "/Users/u",
        configHome: "/Users/u/.config",
        template: readTemplate,
      },
    );
    const golden = readFileSync(join(import.meta.dirname, "../../../fixtures/launchd/countersign.daemon.plist"), "utf8");
    expect(files).toEqual([{ path: "/Users/u/Library/LaunchAgents/countersign.daemon.plist", text: golden, keepEdits: false }]);
  });
});

function canRun(program: string, words: readonly string[]): boolean {
  try {
    execFileSync(program, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
