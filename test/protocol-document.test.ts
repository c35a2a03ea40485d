import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyFrame } from "../src/cli/schema.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../src/core/json.ts";
import { METHODS } from "../src/wire/methods.ts";
import { blocksOf, protocolDocument } from "./documents/protocol.ts";
import { type Transcript, transcripts } from "./documents/transcripts.ts";
import { countersign } from "./support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "./support/daemon.ts";
import { violations } from "./support/json-schema.ts";
import { attachOperator, type Session } from "./support/session.ts";

const ROOT = join(import.meta.dirname, "..");
const EXAMPLES = join(ROOT, "build/examples");

let spoken: readonly Transcript[];
let daemon: TestDaemon;
let operator: Session;
beforeAll(async () => {
  spoken = await transcripts();
  daemon = await startTestDaemon({
    document: { version: 1, agents: { "*": { allowlist: ["/usr/bin/echo", "/usr/bin/sleep", "/usr/bin/false"] } } },
  });
  operator = await attachOperator(daemon);
  mkdirSync(EXAMPLES, { recursive: true });
});
afterAll(async () => {
  operator.close();
  await daemon.stop();
  rmSync(EXAMPLES, { recursive: true, force: true });
});

describe("docs/protocol.md", () => {
  test("shows what a live daemon says; otherwise run make documents", () => {
    const { found, expected } = protocolDocument(ROOT, spoken);
    expect(found).toBe(expected);
  });

  test("shows every method", () => {
    const shown = new Set(spoken.map(({ heading }) => heading));
    expect(Object.keys(METHODS).filter((method) => !shown.has(method))).toEqual([]);
  });
});

describe("the schema of every frame", () => {
  const schemas = everyFrame();
  const at = (...path: readonly string[]): JsonObject => {
    const found = path.reduce<JsonValue | undefined>((place, name) => (isJsonObject(place) ? place[name] : undefined), schemas);
    if (!isJsonObject(found)) throw new Error(`no schema at ${path.join(" ")}`);
    return found;
  };

  /** What a call was answered with is known by its method. */
  function complaints({ heading, frames }: Transcript): readonly string[] {
    const methods = new Map<JsonValue | undefined, string>();
    return frames.flatMap(({ who, frame }) => {
      const { type, method, id, error } = frame;
      if (typeof type === "string") return violations(at("openclaw", type), frame, `${heading} ${type}`);
      if (who === "→" && typeof method === "string") {
        methods.set(id, method);
        return violations(at("methods", method, "request"), frame, `${heading} request`);
      }
      if (error !== undefined) return violations(at("error"), frame, `${heading} error`);
      if (typeof method === "string") return violations(at("notifications", method), frame, `${heading} notification`);
      return violations(at("methods", methods.get(id) ?? "", "response"), frame, `${heading} response`);
    });
  }

  test("holds for everything a live daemon says and is told", () => {
    expect(spoken.flatMap(({ frames }) => frames).length).toBeGreaterThan(60);
    expect(spoken.flatMap(complaints)).toEqual([]);
  });

  test("is what `countersign schema` prints", async () => {
    expect(JSON.parse((await countersign(["schema"])).stdout)).toEqual(schemas);
    expect(JSON.parse((await countersign(["schema", "system.run"])).stdout)).toEqual(at("methods", "system.run"));
    expect((await countersign(["schema", "nope"])).exitCode).toBe(64);
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, words: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: daemon.home, COUNTERSIGN_STATE_DIR: daemon.stateDir };
  const child = spawn(program, words, { cwd: daemon.home, env, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    said.stdout += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said.stderr += chunk.toString("utf8");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...said }));
  });
}

function isHere(program: string): boolean {
  try {
    execFileSync(program, ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function block(document: string, language: string, index: number, file: string): string {
  const found = blocksOf(readFileSync(join(ROOT, "docs", document), "utf8"), language)[index];
  if (found === undefined) throw new Error(`${document} has no such block`);
  const path = join(EXAMPLES, file);
  writeFileSync(path, found);
  return path;
}

/** What a client on the page must do, whatever it is written in. */
async function check(client: (words: readonly string[]) => Promise<Ended>): Promise<void> {
  expect(await client(["/usr/bin/echo", "a  b", "é", "-n"])).toEqual({ code: 0, stdout: "a  b é -n\n", stderr: "" });
  expect((await client(["/usr/bin/false"])).code).toBe(1);
  const asked = client(["/usr/bin/id", "-u"]);
  for (let answered = false; !answered; ) {
    const { approvals } = await operator.must("exec.approval.list", { state: "pending" });
    for (const approval of Array.isArray(approvals) ? approvals.filter(isJsonObject) : []) {
      await operator.must("exec.approval.resolve", { id: approval["id"] ?? null, decision: "allow-once" });
      answered = true;
    }
  }
  expect(await asked).toMatchObject({ code: 0, stdout: `${process.getuid?.()}\n` });
  const refused = await client(["/nonexistent"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("exec.not-found");
}

describe("the clients on the page", () => {
  test("the one in shell has fifteen lines", () => {
    const [shell = ""] = blocksOf(readFileSync(join(ROOT, "docs/protocol.md"), "utf8"), "sh");
    expect(shell.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
  });

  test.runIf(isHere("socat") && isHere("jq"))("the one in shell runs, asks and refuses (where socat and jq are here)", async () => {
    const script = block("protocol.md", "sh", 0, "run.sh");
    await check((words) => run("/bin/sh", [script, ...words]));
  });

  test.runIf(isHere("python3"))("the one in Python runs, asks and refuses (where python3 is here)", async () => {
    const script = block("protocol.md", "python", 0, "run.py");
    await check((words) => run("python3", [script, ...words]));
  });
});

describe("docs/client.md", () => {
  const expected: readonly (readonly [string, RegExp])[] = [
    ["connect", /^countersign\/\d+\.\d+\.\d+ (sealed|pinned|checked)\n$/],
    ["run", /^hello\nexit code 0, allowed by allowlist\n$/],
    ["cancel", /^true true\n$/],
    ["refusal", /^approval\.required sha256:\n$/],
    ["approvals", /^asked: id -u\nallowed 0 allow-once\n$/],
  ];
  test.each(expected.map(([name, output], index) => ({ name, output, index })))(
    "the example on $name does what it says",
    async ({ name, output, index }) => {
      // In the package's own directory, where `countersign/client` means this package.
      const { code, stdout, stderr } = await run(process.execPath, [block("client.md", "js", index, `${name}.mjs`)]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(output);
    },
  );

  test("has no example that is not run", () => {
    expect(blocksOf(readFileSync(join(ROOT, "docs/client.md"), "utf8"), "js")).toHaveLength(expected.length);
  });
});
