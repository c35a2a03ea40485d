import { execFile, execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { HOOK_PAYLOAD_BYTES_MAX } from "../../src/core/limits.ts";
import { countersign } from "../support/countersign.ts";
import { type Answer, type FakeDaemon, Refusal, startFakeDaemon, TOKEN } from "../support/fake-daemon.ts";
import { MAIN } from "../support/program.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const TOOLS = ["claude-code", "codex", "gemini"] as const;
type Tool = (typeof TOOLS)[number];
const TITLES: Readonly<Record<Tool, string>> = { "claude-code": "Claude Code", codex: "Codex", gemini: "Gemini CLI" };
const ID = "7f3c2b1a-0000-4000-8000-000000000000";

let scratch: Scratch;
const running: FakeDaemon[] = [];
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(async () => {
  for (const daemon of running.splice(0)) await daemon.stop();
  scratch.remove();
});

async function daemon(answers: Readonly<Record<string, Answer>>): Promise<FakeDaemon> {
  const started = await startFakeDaemon(answers);
  running.push(started);
  writeFileSync(join(started.directory, "token"), TOKEN, { mode: 0o600 });
  return started;
}

function sample(tool: Tool, name: string): JsonObject {
  const samples: unknown = JSON.parse(readFileSync(join(import.meta.dirname, `../../fixtures/hooks/${tool}.json`), "utf8"));
  const found = isJsonObject(samples) ? samples[name] : undefined;
  if (!isJsonObject(found)) throw new Error(`there is no ${name} of ${tool}`);
  return found;
}

async function hook(tool: Tool, payload: JsonValue | string | Buffer, words: readonly string[]): Promise<JsonObject | null> {
  const input = typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
  const { exitCode, stdout, stderr } = await countersign(["hook", tool, ...words], { input });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  if (stdout === "") return null;
  const said: unknown = JSON.parse(stdout);
  if (!isJsonObject(said)) throw new Error("a hook says an object");
  return said;
}

function at(started: FakeDaemon): readonly string[] {
  return ["--socket", started.socketPath, "--token-file", join(started.directory, "token")];
}

/** A deny and its reason, in each tool's own words. */
function denial(said: JsonObject | null): string | null {
  const specific = said?.["hookSpecificOutput"];
  if (isJsonObject(specific) && specific["permissionDecision"] === "deny") return words(specific["permissionDecisionReason"]);
  return said?.["decision"] === "deny" ? words(said["reason"]) : null;
}

function words(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

const COMMAND = "echo 'it'\"'\"'s' $HOME";

describe.each(TOOLS)("%s", (tool) => {
  test("a command that the policy allows is allowed, and the question names what will run", async () => {
    const started = await daemon({ "exec.approval.request": () => ({ decision: "not-needed" }) });
    const said = await hook(tool, sample(tool, "shell"), at(started));
    expect(denial(said)).toBeNull();
    const { params } = started.calls.find(({ method }) => method === "exec.approval.request") ?? { params: {} };
    expect(params).toMatchObject({
      command: COMMAND,
      cwd: "/srv/project",
      agentId: tool,
      sessionKey: sample(tool, "shell")["session_id"],
      turnSourceChannel: TITLES[tool],
    });
    expect(JSON.stringify(said)).toContain(tool === "codex" ? "not bound" : "exactly as judged");
  });

  test.each<[string, Answer, RegExp]>([
    [
      "the policy denies",
      () => {
        throw new Refusal("policy.security-deny", "every command is denied here");
      },
      /every command is denied here/,
    ],
    ["an operator denies", () => ({ id: ID, state: "denied", decision: "deny", reason: "not on a Friday" }), /said no: not on a Friday/],
    ["nobody answers", () => ({ id: ID, state: "expired", decision: null, reason: "approval.expired" }), /nobody answered in time/],
    ["nobody is there", () => ({ id: ID, state: "expired", decision: null, reason: "approval.no-route" }), /countersign watch/],
    ["the daemon answers nonsense", () => ({ id: 7 }), /unknown answer/],
    ["the daemon answers something unheard of", () => ({ id: ID, state: "maybe", decision: "allow-once" }), /not approved \(maybe\)/],
  ])("what %s is denied, with the reason", async (_, answer, reason) => {
    const started = await daemon({ "exec.approval.request": answer });
    expect(denial(await hook(tool, sample(tool, "shell"), at(started)))).toMatch(reason);
  });

  test("everything is denied while the daemon is away, holds another token, or hangs up", async () => {
    const shell = sample(tool, "shell");
    expect(denial(await hook(tool, shell, ["--state-dir", join(scratch.path, "none")]))).toMatch(/there is no daemon/);
    const stranger = await startFakeDaemon({}, "another-token");
    running.push(stranger);
    writeFileSync(join(stranger.directory, "token"), TOKEN, { mode: 0o600 });
    expect(denial(await hook(tool, shell, at(stranger)))).not.toBeNull();
    const rude = await daemon({
      "exec.approval.request": (_, peer) => {
        peer.hangUp();
        return {};
      },
    });
    expect(denial(await hook(tool, shell, at(rude)))).toMatch(/closed|broke/);
  });

  const shell = sample(tool, "shell");
  const input = shell["tool_input"];
  test.each<[string, JsonValue | string | Buffer]>([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", [shell]],
    ["null", "null"],
    ["two payloads", `${JSON.stringify(shell)}\n${JSON.stringify(shell)}`],
    ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["a member twice", JSON.stringify(shell).replace("{", '{"tool_name":"Read",')],
    ["another event", { ...shell, hook_event_name: "PostToolUse" }],
    ["no event", { ...shell, hook_event_name: null }],
    ["no tool", { ...shell, tool_name: "" }],
    ["no input", { ...shell, tool_input: null }],
    ["an input that is a list", { ...shell, tool_input: [] }],
    ["no command", { ...shell, tool_input: {} }],
    ["an empty command", { ...shell, tool_input: { ...(isJsonObject(input) ? input : {}), command: "" } }],
    ["a command that is a list", { ...shell, tool_input: { command: ["ls"] } }],
    ["a relative directory", { ...shell, cwd: "x" }],
    ["no directory", { ...shell, cwd: null }],
    ["a session that is a number", { ...shell, session_id: 1 }],
    ["more than the bound", JSON.stringify({ ...shell, more: "x".repeat(HOOK_PAYLOAD_BYTES_MAX) })],
  ])("a payload with %s is denied, and the daemon is not asked", async (_, payload) => {
    const started = await daemon({ "exec.approval.request": () => ({ decision: "not-needed" }) });
    expect(denial(await hook(tool, payload, at(started)))).toMatch(/payload/);
    expect(started.calls).toEqual([]);
  });

  test("another tool is put to the tool policy, and is not spoken for where that allows it", async () => {
    const asks = sample(tool, "otherAsks");
    const started = await daemon({
      "tools.evaluate": (params) => {
        expect(params).toMatchObject({ ...asks, agentId: tool });
        return { allowed: true, code: null, reason: "nothing denies it", layers: [] };
      },
    });
    expect(await hook(tool, sample(tool, "other"), at(started))).toBeNull();
    const strict = await daemon({
      "tools.evaluate": () => ({ allowed: false, code: "policy.tool-denied", reason: "`write` is denied", layers: [] }),
    });
    expect(denial(await hook(tool, sample(tool, "other"), at(strict)))).toMatch(/`write` is denied/);
  });

  test("with --ask-in-tool the tool's own prompt decides what the policy leaves open, and says that it is not bound", async () => {
    const plan = {
      argv: ["x"], cwd: "/", envHash: "", envKeys: [], agentId: tool, sessionKey: "", executable: { path: "/x", sha256: "" },
      files: [], nested: [], stdin: { bytes: 0, sha256: null }, unbound: [], segments: [],
    }; // biome-ignore format: the shape of the protocol page
    const prepared = { plan, binding: "", display: { command: "x", words: [], warnings: [] }, enforcement: "sealed" };
    const started = await daemon({
      "system.run.prepare": () => ({ ...prepared, decision: { outcome: "ask", code: "approval.required", reason: "it is not listed" } }),
    });
    const said = await hook(tool, sample(tool, "shell"), [...at(started), "--ask-in-tool"]);
    expect(denial(said)).toBeNull();
    expect(JSON.stringify(said)).toMatch(/it is not listed.*not bound/);
    if (tool === "claude-code") expect(said).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  });
});

describe("where the tool takes another input", () => {
  test.each(["claude-code", "gemini"] as const)("%s is given a command that runs exactly what was approved", async (tool) => {
    const started = await daemon({
      "exec.approval.request": () => ({ id: ID, state: "allowed", decision: "allow-once" }),
      "system.run": () => {
        throw new Refusal("approval.consumed", "seen");
      },
    });
    const said = await hook(tool, sample(tool, "shell"), at(started));
    const specific = said?.["hookSpecificOutput"];
    const input = isJsonObject(specific) ? (specific["updatedInput"] ?? specific["tool_input"]) : undefined;
    const command = isJsonObject(input) ? words(input["command"]) : "";
    if (tool === "claude-code") expect(input).toMatchObject({ description: "Say it", timeout: 120000, run_in_background: false });
    // Run by a shell, as the agent would: the words must come out as they went in.
    const ended = await new Promise<string>((resolve) => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: scratch.path };
      execFile("/bin/sh", ["-c", command], { env }, (_, __, stderr) => resolve(stderr));
    });
    expect(ended).toContain("approval.consumed");
    const run = started.calls.find(({ method }) => method === "system.run");
    expect(run?.params).toMatchObject({ command: COMMAND, cwd: "/srv/project", agentId: tool, approvalId: ID });
    expect(run?.params["sessionKey"]).toBe(sample(tool, "shell")["session_id"]);
  });
});

describe("a hook", () => {
  test("a daemon that never answers does not outlast the agent's patience", async () => {
    const silent = createServer(() => {}).listen(join(scratch.path, "s"));
    writeFileSync(join(scratch.path, "token"), TOKEN, { mode: 0o600 });
    const flags = ["--socket", join(scratch.path, "s"), "--token-file", join(scratch.path, "token"), "--wait-for", "1ms"];
    const asked = performance.now();
    expect(denial(await hook("claude-code", sample("claude-code", "shell"), flags))).not.toBeNull();
    expect(performance.now() - asked).toBeLessThan(9_000);
    silent.close();
  });
});

describe("hook install", () => {
  const PATHS = { "claude-code": ".claude/settings.json", codex: ".codex/hooks.json", gemini: ".gemini/settings.json" } as const;

  test.each(TOOLS)("%s: shows the entry, writes it once, and uninstall takes it out and nothing else", async (tool) => {
    const home = scratch.path;
    const path = join(home, PATHS[tool]);
    const env = { HOME: home };
    const told = await countersign(["hook", "install", tool, "--dry-run", "--json"], { env });
    expect(JSON.parse(told.stdout)).toMatchObject({ tool, differs: true, written: false });
    const shown = await countersign(["hook", "install", tool, "--dry-run"], { env });
    expect(shown).toMatchObject({ exitCode: 0 });
    expect(shown.stdout).toMatch(new RegExp(`\\+.*hook ${tool} --wait-for=120s \\|\\| exit 2`));
    expect(existsSync(path)).toBe(false);

    mkdirSync(join(path, ".."));
    const mine = { theme: "dark", hooks: { [tool === "gemini" ? "AfterTool" : "PostToolUse"]: [{ matcher: "*", hooks: [] }] } };
    const before = `${JSON.stringify(mine, null, 4)}\n`;
    writeFileSync(path, before);
    chmodSync(path, 0o640);
    for (let round = 0; round < 2; round += 1) {
      expect(await countersign(["hook", "install", tool, "--yes"], { env })).toMatchObject({ exitCode: 0, stderr: "" });
    }
    const written = readFileSync(path, "utf8");
    expect(written.match(/hook /g)).toHaveLength(1);
    expect(JSON.parse(written)).toMatchObject(mine);
    expect(written).toContain('\n    "theme"');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect((await countersign(["hook", "uninstall", tool, "--yes"], { env })).exitCode).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("the entry that is written denies when the program behind it is gone", async () => {
    await countersign(["hook", "install", "claude-code", "--yes", "--settings", join(scratch.path, "s.json")]);
    const written = readFileSync(join(scratch.path, "s.json"), "utf8");
    const [, command = ""] = /"command": "(.*)"/.exec(written) ?? [];
    expect(command).toContain(MAIN);
    const gone = command.replace(MAIN, "/nonexistent/main.js");
    expect(() => execFileSync("/bin/sh", ["-c", gone], { stdio: "ignore" })).toThrow(expect.objectContaining({ status: 2 }));
  });

  test("a link stays a link, a file with comments is left alone, and without a terminal nothing is written unasked", async () => {
    const [real, link, odd] = [join(scratch.path, "real.json"), join(scratch.path, "link.json"), join(scratch.path, "odd.json")];
    writeFileSync(real, "{}\n");
    symlinkSync(real, link);
    expect((await countersign(["hook", "install", "gemini", "--settings", link])).exitCode).toBe(64);
    expect(readFileSync(real, "utf8")).toBe("{}\n");
    expect((await countersign(["hook", "install", "gemini", "--yes", "--settings", link])).exitCode).toBe(0);
    expect(readFileSync(real, "utf8")).toContain("BeforeTool");
    writeFileSync(odd, "{ // mine\n}");
    const refused = await countersign(["hook", "install", "gemini", "--yes", "--settings", odd]);
    expect(refused).toMatchObject({ exitCode: 78 });
    expect(readFileSync(odd, "utf8")).toBe("{ // mine\n}");
  });
});
