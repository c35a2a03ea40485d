import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkMachine } from "../../../src/cli/doctor/check-machine.ts";
import type { Ground } from "../../../src/cli/doctor/ground.ts";
import { parseAbsolutePath } from "../../../src/core/absolute-path.ts";
import { statePaths } from "../../../src/store/state-paths.ts";
import { countersign } from "../../support/countersign.ts";
import { startTestDaemon } from "../../support/daemon.ts";
import { type Scratch, scratchDirectory } from "../../support/scratch.ts";

interface Finding {
  readonly about: string;
  readonly level: string;
  readonly message: string;
  readonly remedy?: string;
}
interface Report {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  readonly fixed: readonly Finding[];
}

let scratch: Scratch;
let stateDir: string;
const at = (name: string): string => join(stateDir, name);
const home = (): Readonly<Record<string, string>> => ({ HOME: join(scratch.path, "home") });

beforeEach(async () => {
  scratch = scratchDirectory();
  stateDir = join(scratch.path, "state");
  mkdirSync(join(scratch.path, "home"));
  await countersign(["init", "--state-dir", stateDir], { env: home() });
});
afterEach(() => scratch.remove());

async function doctor(...flags: readonly string[]): Promise<Report & { readonly exitCode: number | null }> {
  const { exitCode, stdout } = await countersign(["doctor", "--json", "--state-dir", stateDir, "--root", scratch.path, ...flags], {
    env: home(),
  });
  const report: Report = JSON.parse(stdout);
  return { ...report, exitCode };
}

function said({ findings }: Report, level: string): readonly string[] {
  return findings.filter((finding) => finding.level === level).map(({ about, message }) => `${about}: ${message}`);
}

function editDocument(
  edit: (document: { defaults: Record<string, unknown>; agents: Record<string, unknown>; socket: Record<string, unknown> }) => void,
): void {
  const document = JSON.parse(readFileSync(at("exec-approvals.json"), "utf8"));
  edit(document);
  writeFileSync(at("exec-approvals.json"), JSON.stringify(document));
}

describe("doctor", () => {
  test("finds nothing wrong with what init made, without a daemon", async () => {
    const report = await doctor();
    expect([report.exitCode, report.ok, said(report, "fails"), said(report, "weak")]).toEqual([0, true, [], []]);
    expect(said(report, "note")).toContainEqual("daemon: none is running");
  });

  test("everything it has to say that is not good comes with what to do", async () => {
    editDocument(({ agents }) => {
      agents["main"] = { allowlist: ["*"] };
    });
    chmodSync(at("operator.token"), 0o644);
    for (const { level, remedy } of (await doctor()).findings) if (level !== "good") expect(remedy).toBeTruthy();
  });

  test.each([
    {
      name: "a token that others can read",
      breaks: () => chmodSync(at("operator.token"), 0o644),
      says: "operator.token` can be read by others (0644)",
    },
    {
      name: "a document that others can write",
      breaks: () => chmodSync(at("exec-approvals.json"), 0o622),
      says: "can be written by others",
    },
    { name: "a state directory that others can write", breaks: () => chmodSync(stateDir, 0o777), says: "can be written by others (0777)" },
    {
      name: "a directory above it that others can write",
      breaks: () => chmodSync(scratch.path, 0o777),
      says: "lies above the state directory",
    },
  ])("$name: fails, is mended by --fix, and nothing else is touched", async ({ breaks, says }) => {
    const before = readFileSync(at("operator.token"));
    breaks();
    const broken = await doctor();
    expect([broken.exitCode, broken.ok]).toEqual([1, false]);
    expect(said(broken, "fails").join("\n")).toContain(says);
    const fixed = await doctor("--fix");
    expect([fixed.exitCode, fixed.ok, said(fixed, "fails"), fixed.fixed.length]).toEqual([0, true, [], 1]);
    expect((await doctor()).ok).toBe(true);
    expect(readFileSync(at("operator.token"))).toEqual(before);
  });

  test("a leaked token is to be rotated, not only hidden", async () => {
    chmodSync(at("operator.token"), 0o644);
    const { findings } = await doctor();
    expect(findings.find(({ level }) => level === "fails")?.remedy).toContain("token rotate");
  });

  test("a symbolic link is named and left for a person to decide", async () => {
    renameSync(at("exec-approvals.json"), at("elsewhere"));
    symlinkSync(at("elsewhere"), at("exec-approvals.json"));
    const report = await doctor("--fix");
    expect(said(report, "fails").join("\n")).toContain("exec-approvals.json` is a symbolic link");
    expect([report.exitCode, lstatSync(at("exec-approvals.json")).isSymbolicLink()]).toEqual([1, true]);
  });

  test.runIf(process.getuid?.() === 0)("a file of somebody else is named and not given away (needs root to make one)", async () => {
    chownSync(at("operator.token"), 12345, 12345);
    const report = await doctor("--fix");
    expect(said(report, "fails").join("\n")).toContain("is owned by uid 12345");
    expect(lstatSync(at("operator.token")).uid).toBe(12345);
  });

  test("a document that is not JSON is broken at a line, and no word of it is repeated", async () => {
    writeFileSync(at("exec-approvals.json"), '{\n  "version": 1,\n  "socket": { "token": "secret" \n');
    const report = await doctor();
    expect(said(report, "fails")).toEqual(["policy: the file is broken: not valid JSON at line 4"]);
    expect(JSON.stringify(report.findings)).not.toContain("secret");
  });

  test("a log that was changed fails, since no daemon starts on it", async () => {
    const daemon = await startTestDaemon({ stateDir });
    await daemon.stop();
    expect(said(await doctor(), "good").join("\n")).toMatch(/log: \d+ records?, none changed or missing/);
    const segment = at("audit/0000000000000001.jsonl");
    writeFileSync(segment, readFileSync(segment, "utf8").replace("daemon.started", "daemon.startet"));
    const report = await doctor();
    expect([report.ok, said(report, "fails").join("\n")]).toEqual([
      false,
      expect.stringContaining("log: 0000000000000001.jsonl, line 1, "),
    ]);
  });

  test("a file where the socket should be is named once, as what it is", async () => {
    writeFileSync(at("exec-approvals.sock"), "");
    const report = await doctor();
    expect(said(report, "fails").join("\n")).toContain("is not a socket");
    expect(said(report, "note").join("\n")).not.toContain("left by a daemon");
  });

  test("a document is broken where it is broken, every place by itself, and it is left as it is", async () => {
    editDocument(({ defaults, agents }) => {
      defaults["security"] = "fulll";
      agents["main"] = { ask: "maybe", allowlist: [7] };
    });
    const before = readFileSync(at("exec-approvals.json"), "utf8");
    const report = await doctor("--fix");
    expect(said(report, "fails")).toEqual([
      expect.stringContaining("`defaults.security`"),
      expect.stringContaining("`agents.main.allowlist[0]`"),
      expect.stringContaining("`agents.main.ask`"),
    ]);
    expect(readFileSync(at("exec-approvals.json"), "utf8")).toBe(before);
  });

  test("text that is no JSON is said with its place", async () => {
    writeFileSync(at("exec-approvals.json"), '{"version":1,}');
    expect(said(await doctor(), "fails").join("\n")).toMatch(/policy: the file is broken/);
  });

  test("settings are broken at a line and a column", async () => {
    writeFileSync(at("countersign.json5"), '{\n  tools: { exec: { securty: "full" } },\n}\n', { mode: 0o600 });
    expect(said(await doctor(), "fails")).toEqual([expect.stringMatching(/^settings: line 2, column \d+: `tools\.exec\.securty`/)]);
  });

  test("an allowlist that allows more than it seems to is named entry by entry", async () => {
    editDocument(({ agents, defaults, socket }) => {
      defaults["askFallback"] = "full";
      socket["gatewayMayResolve"] = true;
      agents["main"] = { allowlist: ["*", "/usr/bin/bash", "/usr/bin/ls"] };
      agents["loose"] = { security: "full" };
    });
    const weak = said(await doctor(), "weak").join("\n");
    expect(weak).toContain("`*` (agents.main.allowlist[0]): covers any program");
    expect(weak).toContain("`/usr/bin/bash` (agents.main.allowlist[1]): covers a shell");
    expect(weak).not.toContain("/usr/bin/ls");
    expect(weak).toContain("`agents.loose.security` is `full`");
    expect(weak).toContain("`defaults.askFallback` is `full`");
    expect(weak).toContain("gatewayMayResolve");
  });

  test("a socket whose path is too long can never be bound", async () => {
    const { exitCode, stdout } = await countersign(["doctor", "--json", "--state-dir", stateDir, "--socket", `/tmp/${"s".repeat(110)}`], {
      env: home(),
    });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("unix(7) allows");
  });

  test("a socket that a dead daemon left is told from a living one", async () => {
    const server = createServer().listen(at("exec-approvals.sock"));
    await new Promise((settle) => server.once("listening", settle));
    renameSync(at("exec-approvals.sock"), at("s"));
    await new Promise((settle) => server.close(settle));
    renameSync(at("s"), at("exec-approvals.sock"));
    expect(said(await doctor(), "note").join("\n")).toContain("left by a daemon that died");
  });

  test("a running daemon is asked what it can promise", async () => {
    const daemon = await startTestDaemon({ stateDir });
    try {
      const report = await doctor();
      expect(said(report, "good").join("\n")).toMatch(/daemon: countersign\/\S+ answers at/);
      expect(report.findings.some(({ about }) => about === "enforcement")).toBe(true);
      expect(report.ok).toBe(true);
    } finally {
      await daemon.stop();
    }
  });

  test("what a crash left is removed by --fix; what may still be in use is not", async () => {
    const old = new Date(Date.now() - 120_000);
    for (const name of [".exec-approvals.json.0123456789abcdef.tmp", ".exec-approvals.json.fedcba9876543210.tmp"])
      writeFileSync(at(name), "", { mode: 0o600 });
    utimesSync(at(".exec-approvals.json.0123456789abcdef.tmp"), old, old);
    mkdirSync(at("exec-approvals.json.lock"));
    utimesSync(at("exec-approvals.json.lock"), old, old);
    expect((await doctor("--fix")).fixed).toHaveLength(2);
    expect(existsSync(at(".exec-approvals.json.fedcba9876543210.tmp"))).toBe(true);
    expect([existsSync(at(".exec-approvals.json.0123456789abcdef.tmp")), existsSync(at("exec-approvals.json.lock"))]).toEqual([
      false,
      false,
    ]);
  });

  test("OpenClaw's own directory is refused, and our file in it is warned of", async () => {
    writeFileSync(at("openclaw.json"), "{}", { mode: 0o600 });
    expect(said(await doctor(), "fails").join("\n")).toContain("OpenClaw's own state directory");
    mkdirSync(join(scratch.path, "home/.openclaw"));
    writeFileSync(join(scratch.path, "home/.openclaw/exec-approvals.json"), "{}");
    expect(said(await doctor(), "weak").join("\n")).toContain("refuses to work next to it");
  });

  test("a clock behind the log is noticed", async () => {
    const daemon = await startTestDaemon({ stateDir });
    await daemon.stop();
    const directory = parseAbsolutePath(stateDir);
    if (!directory.ok) throw new Error("not a path");
    const ground = (nowMs: number): Ground => ({
      uid: 0,
      home: scratch.path,
      env: {},
      place: { stateDir, socketPath: null },
      paths: statePaths(directory.value),
      native: null,
      nowMs,
      document: null,
      settingsPath: "",
      settings: null,
    });
    const clock = async (nowMs: number): Promise<string> =>
      (await checkMachine(ground(nowMs)))
        .filter(({ about }) => about === "clock")
        .map(({ message }) => message)
        .join();
    expect(await clock(Date.now())).toBe("not behind the log");
    expect(await clock(Date.now() - 3_600_000)).toMatch(/^it is (?:1 h|59 min 5\d s) behind the newest record/);
    expect(await clock(0)).toContain("1970");
  });

  test("an installed unit that this version would write differently is drift", async () => {
    await countersign(["install", "--system", "--run-as", "agent", "--root", scratch.path], { env: home() });
    const unit = join(scratch.path, "etc/systemd/system/countersign.service");
    expect(said(await doctor(), "good").join("\n")).toContain("is as this version installs it");
    writeFileSync(unit, readFileSync(unit, "utf8").replace("NoNewPrivileges=yes", "NoNewPrivileges=no"));
    expect(said(await doctor(), "weak").join("\n")).toContain("countersign.service` is not what this version would install");
  });

  test("a user's unit is held against its own state directory, and one for another directory against nothing", async () => {
    const units = async (...flags: readonly string[]) => {
      await countersign(["install", "--user", "--root", scratch.path, ...flags], { env: home() });
      return (await doctor()).findings.filter(({ about }) => about === "user service").map(({ level }) => level);
    };
    expect(await units("--state-dir", stateDir)).toEqual(["good"]);
    expect(await units()).toEqual(["good"]);
    expect(await units("--state-dir", "/srv/other")).toEqual([]);
  });

  test("for people it says the worst in capitals, each fact on a line, and ends with one sentence", async () => {
    chmodSync(at("operator.token"), 0o644);
    const { stdout, exitCode } = await countersign(["doctor", "--state-dir", stateDir], { env: home() });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^FAILS {2}state directory {2}/m);
    expect(stdout).toMatch(/\n1 to mend before it works\n$/);
    expect(stdout.split("\n").every((line) => /^(?:ok {3}|note |weak |FAILS|fixed| +→|\d|$)/.test(line))).toBe(true);
  });
});
