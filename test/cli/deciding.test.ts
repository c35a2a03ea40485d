import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columnsOf } from "../../src/cli/width.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { approvalOf, HASH, planOf } from "../support/approvals.ts";
import { countersign, type Ended, start } from "../support/countersign.ts";
import { type FakeDaemon, type Peer, Refusal, startFakeDaemon, TOKEN } from "../support/fake-daemon.ts";
import { printedAt } from "../support/printed.ts";
import { wordsOf } from "../support/shown-words.ts";
import { hasTmux } from "../support/tmux.ts";

const DEPLOY = "3f2c9a1e-1f5a-4b0e-9f5e-7a3b2c1d0e9f";
const EVIL = "9a1e3f2c-1f5a-4b0e-9f5e-7a3b2c1d0e9f";
const EVIL_ARGV = ["python3", "-c", `print('${"x".repeat(300)}')`, "\u202etxt.exe", "two words", "—force"] as const;

const listeners = new Set<Peer>();
let approvals: JsonObject[];
let daemon: FakeDaemon;
let tokenFile: string;

beforeAll(async () => {
  const display = approvalOf(EVIL, EVIL_ARGV)["display"];
  approvals = [
    approvalOf(DEPLOY, ["./deploy.sh", "staging"]),
    approvalOf(EVIL, EVIL_ARGV, {
      plan: planOf(EVIL_ARGV, { unbound: ["what python3 imports"], files: [{ argvIndex: 4, path: "/srv/app/two words", sha256: HASH }] }),
      display: { ...(isJsonObject(display) ? display : {}), env: { LANG: "C.UTF-8", NOTE: "a\tb" } },
    }),
  ];
  const find = (params: JsonObject): JsonObject => {
    const id = typeof params["id"] === "string" ? params["id"] : "";
    const found = approvals.find((each) => typeof each["id"] === "string" && each["id"].startsWith(id));
    if (found === undefined)
      throw new Refusal("approval.unknown", `there is no approval \`${id}\`; list them with \`countersign pending\``);
    return found;
  };
  daemon = await startFakeDaemon({
    "exec.approval.list": ({ cursor }) =>
      cursor === undefined ? { approvals: approvals.slice(0, 1), next: DEPLOY } : { approvals: approvals.slice(1) },
    "exec.approval.get": (params) => find(params),
    "exec.approval.resolve": (params) => {
      if (params["id"] === EVIL && params["decision"] !== "deny") {
        const who = { by: "operator", decidedAtMs: 1 };
        throw new Refusal("approval.already-resolved", "answered `deny` by operator; the first answer stands", who);
      }
      return { id: find(params)["id"], state: "allowed", decision: params["decision"], stored: ["/srv/app/deploy.sh"], oneShot: null };
    },
    "events.subscribe": (_, peer) => {
      listeners.add(peer);
      return {};
    },
  });
  tokenFile = join(daemon.directory, "operator.token");
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
});

afterAll(() => daemon.stop());

function operator(...words: string[]): Promise<Ended> {
  return countersign([...words, "--socket", daemon.socketPath, "--token-file", tokenFile]);
}

describe("pending", () => {
  test("shows every page, each command word by word, and parsing what is shown gives back what will run", async () => {
    const { exitCode, stdout } = await operator("pending");
    const [, evil = ""] = stdout.split(EVIL);
    const words = [...unfolded(evil).matchAll(/^ {2}(?:command)? +\d {2}(.+)$/gm)].map((match) => match[1] ?? "");
    expect(words.map((word) => wordsOf(word)).flat()).toEqual([...EVIL_ARGV]);
    expect(exitCode).toBe(0);
  });

  test("says first what would not be covered, then what the eye passes over", async () => {
    const lines = (await operator("pending", EVIL)).stdout.split("\n");
    expect(lines[1]).toBe("  NOT COVERED  what python3 imports");
    expect(lines[2]).toMatch(/^ {2}WARNING {6}word 4 holds characters that do not show/);
  });

  test.each([
    ["the directory", "/srv/app"],
    ["the program", "/srv/app/deploy.sh"],
    ["each file with its place", "file, word 5 '/srv/app/two words'"],
    ["hashes whole", HASH],
    ["the interpreter", "/usr/bin/dash"],
    ["overrides with their values", "NOTE=$'a\\tb'"],
    ["the agent", "agent        main"],
    ["the session", "session      s1"],
    ["who asked", "pid 4321, uid 1000, /usr/bin/node"],
    ["the host", "host-1"],
    ["age and what is left", "asked 1"],
    ["what is left", "min 4"],
  ])("names %s", async (_, text) => {
    expect((await operator("pending", EVIL)).stdout).toContain(text);
  });

  test("lets nothing through that is not ink, and folds nothing where there is no screen", async () => {
    const { stdout } = await operator("pending");
    expect(stdout).not.toMatch(/[^\n\P{C}]/u);
    expect(stdout).not.toContain(" bytes)");
  });

  test.runIf(hasTmux)("says on a screen how much a fold holds (needs tmux)", async () => {
    const words = ["pending", "--socket", daemon.socketPath, "--token-file", tokenFile];
    const [text = ""] = await printedAt(80, [words], { cwd: "/", env: {} });
    expect(text).toContain("(311 bytes)");
    expect(text.split("\n").filter((line) => columnsOf(line) > 80)).toEqual([]);
  });

  test("with --json is one value with all of them", async () => {
    const { stdout } = await operator("pending", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ approvals: [{ id: DEPLOY }, { id: EVIL }] });
  });

  test("--watch shows what waits, then what comes, each once, and ends with Ctrl-C", async () => {
    const watching = start(["pending", "--watch", "--socket", daemon.socketPath, "--token-file", tokenFile]);
    await watching.says(EVIL);
    const late = "77777777-1f5a-4b0e-9f5e-7a3b2c1d0e9f";
    approvals = [...approvals, approvalOf(late, ["git", "push"])];
    for (const peer of listeners) {
      peer.notify("exec.approval.requested", { id: DEPLOY });
      peer.notify("exec.approval.requested", { id: late });
      peer.notify("exec.approval.resolved", { id: DEPLOY, state: "allowed", decision: "allow-once" });
    }
    await watching.says(`${DEPLOY}  allow-once`);
    watching.child.kill("SIGINT");
    const { exitCode, stdout } = await watching.ended;
    expect(stdout.match(new RegExp(`^${late}`, "gm"))).toHaveLength(1);
    expect(stdout.match(new RegExp(`^${DEPLOY}  asked`, "gm"))).toHaveLength(1);
    expect(exitCode).toBe(0);
  });
});

describe("approve", () => {
  test("takes the beginning of an id, shows the command, and answers about the whole id", async () => {
    const { exitCode, stdout } = await operator("approve", DEPLOY.slice(0, 8), "--reason", "release day");
    expect(stdout).toContain("1  ./deploy.sh");
    expect(daemon.calls.at(-1)?.params).toEqual({ id: DEPLOY, decision: "allow-once", reason: "release day" });
    expect(exitCode).toBe(0);
  });

  test("--always passes its bounds on and says what was stored", async () => {
    const { stdout } = await operator("approve", DEPLOY, "--always", "--scope", "command", "--for", "30m", "--uses", "3");
    const params = { id: DEPLOY, decision: "allow-always", scope: "command", expiresInMs: 1_800_000, uses: 3 };
    expect(daemon.calls.at(-1)?.params).toEqual(params);
    expect(stdout).toContain("allowed, and for 30 min, 3 times without asking: /srv/app/deploy.sh");
  });

  test.each([
    { flag: "--uses", value: "3", sent: { uses: 3 }, says: "3 times without asking" },
    { flag: "--for", value: "1h", sent: { expiresInMs: 3_600_000 }, says: "for 1 h without asking" },
    { flag: "--scope", value: "command", sent: { scope: "command" }, says: "from now on without asking" },
  ])("$flag bounds what is stored, so it means --always", async ({ flag, value, sent, says }) => {
    const { stdout } = await operator("approve", DEPLOY, flag, value);
    expect(daemon.calls.at(-1)?.params).toEqual({ id: DEPLOY, decision: "allow-always", ...sent });
    expect(stdout).toContain(says);
  });

  test("of something that was answered otherwise ends with 4", async () => {
    const { exitCode, stderr } = await operator("approve", EVIL);
    expect(stderr).toContain("approval.already-resolved");
    expect(exitCode).toBe(4);
  });

  test("of something that is not there says how to see what is, in JSON too", async () => {
    const [people, machines] = await Promise.all([operator("approve", "ffffffff"), operator("approve", "ffffffff", "--json")]);
    expect(people.stderr).toContain("countersign pending");
    expect(JSON.parse(machines.stdout)).toMatchObject({ error: { code: "approval.unknown" } });
    expect([people.exitCode, machines.exitCode, machines.stderr]).toEqual([1, 1, ""]);
  });
});

describe("deny", () => {
  test("passes the reason on", async () => {
    const { exitCode, stdout } = await operator("deny", DEPLOY, "--reason", "not on a Friday");
    expect(daemon.calls.at(-1)?.params).toEqual({ id: DEPLOY, decision: "deny", reason: "not on a Friday" });
    expect([exitCode, stdout]).toEqual([0, "denied: ./deploy.sh staging\n"]);
  });
});

/** Continuation lines stand below the first, with nothing in the columns of labels and numbers. */
function unfolded(text: string): string {
  return text.replaceAll(/\n {18}\(\d+ bytes\)\n/g, "\n").replaceAll(/\n {18}(?=\S)/g, "");
}
