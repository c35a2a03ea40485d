/** The command line against real daemons: what a person types, end to end. */
import { spawnSync } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { countersign, type Ended, type Started, type Surroundings, start } from "../support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { scratchDirectory } from "../support/scratch.ts";

let daemon: TestDaemon;
let project: string;
let watching: Started;

beforeAll(async () => {
  daemon = await startTestDaemon();
  project = join(daemon.home, "project");
  mkdirSync(project);
  writeFileSync(join(project, "deploy.sh"), '#!/bin/sh\necho "deployed $1"\necho trouble >&2\nexit 7\n');
  chmodSync(join(project, "deploy.sh"), 0o755);
  watching = start(["pending", "--watch", "--json", "--state-dir", daemon.stateDir]);
  await watching.says("listening");
});

afterAll(async () => {
  watching.child.kill("SIGTERM");
  await watching.ended;
  await daemon.stop();
});

function type(words: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return countersign(["--state-dir", daemon.stateDir, ...words], { cwd: project, ...surroundings });
}

/** Asks and waits, and gives the id under which it waits. */
async function ask(...words: string[]): Promise<{ readonly running: Started; readonly id: string }> {
  const before = new Set(await pendingIds());
  const running = start(["run", "--state-dir", daemon.stateDir, "--wait", "--", ...words], { cwd: project });
  while (running.child.exitCode === null) {
    const id = (await pendingIds()).find((candidate) => !before.has(candidate));
    if (id !== undefined) return { running, id };
  }
  throw new Error(`nobody was asked: ${running.said()}`);
}

async function pendingIds(): Promise<readonly string[]> {
  const { approvals }: { approvals: { id: string }[] } = JSON.parse((await type(["pending", "--json"])).stdout);
  return approvals.map(({ id }) => id);
}

describe("asking and answering", () => {
  test("a command waits for its answer, runs once it is given, and passes output and exit code through", async () => {
    const { running, id } = await ask("./deploy.sh", "staging");
    const approved = await type(["approve", id.slice(0, 8)]);
    expect(approved.stdout).toContain("allowed once, exactly as shown");
    const { exitCode, stdout, stderr } = await running.ended;
    expect([exitCode, stdout, stderr]).toEqual([7, "deployed staging\n", "trouble\n"]);

    const again = await type(["run", "--approval", id, "--", "./deploy.sh", "staging"]);
    expect(again.stderr).toContain("approval.consumed");
    expect(again.exitCode).toBe(4);
  });

  test("a denial reaches the asker with its reason, and ends with 2", async () => {
    const { running, id } = await ask("./deploy.sh", "production");
    await type(["deny", id, "--reason", "not on a Friday"]);
    const { exitCode, stderr } = await running.ended;
    expect(stderr).toContain("not on a Friday");
    expect(exitCode).toBe(2);
    const late = await type(["approve", id]);
    expect([late.exitCode, late.stderr.includes("approval.already-resolved")]).toEqual([4, true]);
  });

  test("Ctrl-C while waiting takes the question off the table", async () => {
    const { running, id } = await ask("./deploy.sh", "nowhere");
    running.child.kill("SIGINT");
    expect((await running.ended).exitCode).toBe(130);
    await expect.poll(async () => (await pendingIds()).includes(id)).toBe(false);
  });

  test("--always stores what it says it stores, and the next run does not ask", async () => {
    const { running, id } = await ask("./deploy.sh", "always");
    const { stdout } = await type(["approve", id, "--always"]);
    expect(stdout).toContain(`from now on without asking: ${join(project, "deploy.sh")}`);
    await running.ended;
    expect((await type(["run", "--", "./deploy.sh", "again"])).stdout).toBe("deployed again\n");
  });

  test.each([
    { name: "a program that is not there", words: ["no-such-program"], exitCode: 127, code: "exec.not-found" },
    { name: "a command that nobody listed", words: ["uname"], exitCode: 2, code: "approval.required" },
    { name: "a forbidden variable", words: ["--env", "LD_PRELOAD=/x.so", "--", "wc"], exitCode: 2, code: "env.forbidden" },
    {
      name: "an approval nobody gave",
      words: ["--approval", "00000000-0000-4000-8000-000000000000", "--", "wc"],
      exitCode: 1,
      code: "approval.unknown",
    },
  ])("$name ends with $exitCode and $code, in words and in JSON", async ({ words, exitCode, code }) => {
    const [people, machines] = await Promise.all([type(["run", ...words]), type(["run", "--json", ...words])]);
    expect(people.stderr).toContain(`code ${code}`);
    expect(JSON.parse(machines.stdout)).toMatchObject({ error: { code } });
    expect([people.exitCode, machines.exitCode]).toEqual([exitCode, exitCode]);
  });

  test("standard input goes through, and a pipeline needs no shell", async () => {
    expect((await type(["run", "--stdin", "--", "wc", "-c"], { input: "12345" })).stdout.trim()).toBe("5");
    expect((await type(["run", "--stdin", "--command", "head -c 3 | wc -c"], { input: "12345" })).stdout.trim()).toBe("3");
  });

  test("bytes come back as they went in, whatever they are", async () => {
    const bytes = randomBytes(300 * 1024);
    const { stdoutBytes } = await type(["run", "--stdin", "--", "tail", "-c", "+1"], { input: bytes });
    expect(stdoutBytes.equals(bytes)).toBe(true);
  });

  test("a command that dies of a signal ends us with 128 and its number", async () => {
    const { running, id } = await ask("sh", "-c", "kill -9 $$");
    await type(["approve", id]);
    expect((await running.ended).exitCode).toBe(137);
  });

  test("Ctrl-C while it runs leaves no process of it", async () => {
    // A number of its own, so that no other test's sleeper is counted.
    const seconds = 86_400 + process.pid;
    const { running, id } = await ask("sh", "-c", `sleep ${seconds} & echo started; wait`);
    await type(["approve", id]);
    await running.says("started");
    const sleepers = (): number =>
      spawnSync("pgrep", ["-f", `^sleep ${seconds}$`])
        .stdout.toString()
        .split("\n").length - 1;
    // What was forked may not be `sleep` yet.
    await expect.poll(sleepers).toBe(1);
    running.child.kill("SIGINT");
    expect((await running.ended).exitCode).toBe(130);
    expect(sleepers()).toBe(0);
  });

  test("a time limit ends it with 3, and says so", async () => {
    const before = new Set(await pendingIds());
    const running = start(["run", "--state-dir", daemon.stateDir, "--wait", "--timeout", "300ms", "--", "sleep", "86322"]);
    const fresh = async (): Promise<string | undefined> => (await pendingIds()).find((id) => !before.has(id));
    await expect.poll(fresh).toBeDefined();
    await type(["approve", (await fresh()) ?? ""]);
    const { exitCode, stderr } = await running.ended;
    expect([exitCode, stderr.includes("its time limit")]).toEqual([3, true]);
  });
});

describe("status", () => {
  test("says that it is up, how strong it is, and what is not covered", async () => {
    const { stdout } = await type(["status"]);
    expect(stdout).toMatch(/^up for .*: countersign \d/);
    expect(stdout).toMatch(/^ {2}enforcement +\w+/m);
    expect(stdout).toMatch(/^ {2}NOT COVERED/m);
    expect(stdout).toContain("somebody listens for requests");
  });
});

describe("the log", () => {
  test("tail shows the newest, show tells one approval's whole story, and both have JSON", async () => {
    const { running, id } = await ask("uname", "--all");
    await type(["deny", id]);
    await running.ended;
    expect((await type(["audit", "tail", "-n", "200"])).stdout).toMatch(new RegExp(`approval.requested +${id.slice(0, 8)}`));
    const { records }: { records: { type: string }[] } = JSON.parse((await type(["audit", "show", id, "--json"])).stdout);
    expect(records.map((record) => record.type)).toEqual(["approval.requested", "approval.decided"]);
    expect((await type(["audit", "show", "fffffffff"])).exitCode).toBe(1);
  });

  test("tail --follow shows what comes, until Ctrl-C", async () => {
    const following = start(["audit", "tail", "--follow", "-n", "1", "--state-dir", daemon.stateDir]);
    await following.says("#");
    const { runId } = JSON.parse((await type(["run", "--json", "--", "wc", "-c"])).stdout);
    await following.says(`run ${String(runId).slice(0, 8)}  exit 0`);
    following.child.kill("SIGINT");
    expect((await following.ended).exitCode).toBe(0);
  });

  test("verify says the same by way of the daemon and of the files", async () => {
    const [online, offline] = await Promise.all([type(["audit", "verify"]), type(["audit", "verify", "--offline"])]);
    expect(online.stdout).toMatch(/^intact: \d+ records in 1 file/);
    expect(offline.stdout).toMatch(/^intact: \d+ records in 1 file/);
    expect([online.exitCode, offline.exitCode]).toEqual([0, 0]);
  });
});

describe("without a daemon", () => {
  test("the log is still read and verified, and an edited byte is named by file and line", async () => {
    const scratch = scratchDirectory();
    onTestFinished(() => scratch.remove());
    const stateDir = join(scratch.path, "state");
    const words = ["--state-dir", stateDir];
    const other = await startTestDaemon({ stateDir });
    onTestFinished(() => other.kill());
    await countersign(["status", ...words]);
    await other.stop();
    const audit = join(stateDir, "audit");
    const clean = await countersign(["audit", "verify", ...words]);
    expect(clean.exitCode).toBe(0);
    expect((await countersign(["audit", "tail", ...words])).stdout).toContain("daemon.started");
    const segment = readdirSync(audit).find((name) => name.endsWith(".jsonl")) ?? "";
    const text = readFileSync(join(audit, segment), "utf8");
    writeFileSync(join(audit, segment), text.replace('"pid":', '"Pid":'));
    const { exitCode, stdout } = await countersign(["audit", "verify", ...words]);
    expect(stdout).toMatch(new RegExp(`NOT INTACT[^]*${segment}, line \\d+, was edited`));
    expect(exitCode).toBe(1);
  });

  test("a second daemon on the same directory says who is there, and an unsafe directory is refused with 78", async () => {
    const second = await countersign(["daemon", "--state-dir", daemon.stateDir, "--allow-root"]);
    expect(second.exitCode).not.toBe(0);
    const scratch = scratchDirectory();
    chmodSync(scratch.path, 0o777);
    const unsafe = await countersign(["init", "--state-dir", scratch.path]);
    scratch.remove();
    expect(unsafe.stderr).toContain(scratch.path);
    expect(unsafe.exitCode).toBe(78);
  });
});

describe("init", () => {
  test("makes what is missing, says what it made and what comes next, and the second time changes nothing", async () => {
    const scratch = scratchDirectory();
    const stateDir = join(scratch.path, "a/state");
    const first = await countersign(["init", "--state-dir", stateDir]);
    const document = readFileSync(join(stateDir, "exec-approvals.json"), "utf8");
    const second = await countersign(["init", "--state-dir", stateDir, "--json"]);
    expect(first.stdout).toMatch(/made .*exec-approvals.json\nmade .*operator.token\n[^]*countersign daemon/);
    expect(first.stdout).not.toContain(JSON.parse(document).socket.token);
    expect(JSON.parse(second.stdout)).toEqual({ stateDirectory: stateDir, made: [] });
    expect(readFileSync(join(stateDir, "exec-approvals.json"), "utf8")).toBe(document);
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    scratch.remove();
  });
});

describe("credentials", () => {
  test("rotating a token ends the old one, prints no secret, and commands go on with the new one", async () => {
    const other = await startTestDaemon();
    onTestFinished(() => other.stop());
    const old = join(other.home, "old.token");
    writeFileSync(old, other.gatewayToken, { mode: 0o600 });
    const words = ["--state-dir", other.stateDir];
    const rotated = await countersign(["token", "rotate", ...words]);
    const now: string = JSON.parse(readFileSync(join(other.stateDir, "exec-approvals.json"), "utf8")).socket.token;
    expect(now).not.toBe(other.gatewayToken);
    expect(rotated.stdout).not.toContain(now);
    const refused = await countersign(["run", ...words, "--token-file", old, "--", "wc"]);
    expect(refused.exitCode).toBe(77);
    expect((await countersign(["run", ...words, "--", "wc", "-c"])).exitCode).toBe(0);
    await countersign(["token", "rotate", "--role", "operator", ...words]);
    expect((await countersign(["pending", ...words])).exitCode).toBe(0);
  });

  test("a token that is issued again after a rotation is the new one, whatever the user had been issued before", async () => {
    const other = await startTestDaemon();
    onTestFinished(() => other.stop());
    const issued = join(other.home, ".config/countersign/gateway.token");
    const cs = (...words: readonly string[]): Promise<Ended> =>
      countersign(["--state-dir", other.stateDir, ...words], { env: { HOME: other.home } });
    const issue = (): Promise<Ended> => cs("token", "issue", "--role", "gateway", "--for-uid", String(process.getuid?.() ?? 0));
    await issue();
    expect((await cs("token", "rotate")).stdout).toContain("countersign token issue --role gateway");
    await issue();
    expect(readFileSync(issued, "utf8").trim()).not.toBe(other.gatewayToken);
    expect((await cs("check", "--", "wc")).exitCode).toBe(0);
  });

  test("a gateway of its own name gets a file, acts for its agents alone, and can be given a new token", async () => {
    const me = String(process.getuid?.() ?? 0);
    const out = join(daemon.home, "ci.token");
    const issued = await type([
      "token",
      "issue",
      "--role",
      "gateway",
      "--for-uid",
      me,
      "--gateway",
      "ci",
      "--agents",
      "ci-*",
      "--out",
      out,
    ]);
    expect(issued.stdout).toContain(out);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const mine = await type(["run", "--token-file", out, "--agent", "ci-1", "--", "wc", "-c"]);
    const others = await type(["run", "--token-file", out, "--agent", "main", "--", "wc", "-c"]);
    expect([mine.exitCode, others.exitCode]).toEqual([0, 77]);
    expect(others.stderr).toContain("auth.forbidden");

    const rotated = join(daemon.home, "ci-2.token");
    await type(["token", "rotate", "--gateway", "ci", "--out", rotated]);
    const [before, after] = [
      await type(["run", "--token-file", out, "--agent", "ci-1", "--", "wc", "-c"]),
      await type(["run", "--token-file", rotated, "--agent", "ci-1", "--", "wc", "-c"]),
    ];
    expect([before.exitCode, after.exitCode]).toEqual([77, 0]);
  });

  test.runIf(process.getuid?.() === 0)("root hands a file to another user, who owns it alone; only root can set owners", async () => {
    const out = join(daemon.home, "for/nobody.token");
    const { stdout } = await type(["token", "issue", "--role", "gateway", "--for-uid", "65534", "--out", out]);
    const [file, directory] = [statSync(out), statSync(join(daemon.home, "for"))];
    expect([file.uid, file.mode & 0o777, directory.uid, directory.mode & 0o777]).toEqual([65534, 0o600, 65534, 0o700]);
    expect(stdout).toContain("add 65534 to socket.allowUids");
  });

  test.runIf(process.getuid?.() !== 0)("an ordinary user cannot hand a file to another, and nothing is written; root could", async () => {
    const out = join(daemon.home, "for-nobody.token");
    const { exitCode, stderr } = await type(["token", "issue", "--role", "gateway", "--for-uid", "65533", "--out", out]);
    expect([exitCode, stderr.includes("only root"), statSync(out, { throwIfNoEntry: false })]).toEqual([77, true, undefined]);
  });

  test.runIf(process.getuid?.() === 0)("a user without a home that is known here needs --out; only root gets that far", async () => {
    const { exitCode, stderr } = await type(["token", "issue", "--role", "operator", "--for-uid", "4294000000"]);
    expect([exitCode, stderr.includes("--out FILE")]).toEqual([64, true]);
  });

  test("show-path names the file, and never what is in it", async () => {
    const { stdout } = await type(["token", "show-path", "--role", "operator"]);
    expect(stdout).toBe(`${join(daemon.stateDir, "operator.token")}\n`);
  });

  test("an enrolled gateway's token runs one command once, until its trust is taken back", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const keyFile = join(daemon.home, "ops.pub.pem");
    writeFileSync(keyFile, publicKey.export({ type: "spki", format: "pem" }));
    expect((await type(["trust", "add", "ops", "--key", keyFile, "--agents", "main"])).exitCode).toBe(0);
    expect((await type(["trust", "list"])).stdout).toMatch(/^ops .* main$/m);

    const refused = JSON.parse((await type(["run", "--json", "--", "uname", "-s"])).stdout);
    const { hostId } = JSON.parse((await type(["status", "--json"])).stdout);
    const minted = (jti: string): string => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: "ops", jti, bnd: refused.error.data.binding, aud: hostId, iat: now, exp: now + 60, dec: "allow-once" };
      const body = [{ alg: "EdDSA", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
      return `${body}.${sign(null, Buffer.from(body), privateKey).toString("base64url")}`;
    };
    const token = minted("first");
    expect((await type(["run", "--token", token, "--", "uname", "-s"])).exitCode).toBe(0);
    expect((await type(["run", "--token", token, "--", "uname", "-s"])).stderr).toContain("approval.consumed");
    await type(["trust", "remove", "ops"]);
    const after = await type(["run", "--token", minted("second"), "--", "uname", "-s"]);
    expect(after.stderr).toContain("approval.token-invalid");
    expect(after.exitCode).toBe(77);
  });

  test("a private key is not taken for a public one", async () => {
    const { privateKey } = generateKeyPairSync("ed25519");
    const keyFile = join(daemon.home, "private.pem");
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    const { exitCode, stderr } = await type(["trust", "add", "x", "--key", keyFile]);
    expect([exitCode, stderr.includes("private key")]).toEqual([64, true]);
  });
});

describe("watching", () => {
  test("goes on after a restart of the daemon and after a new operator token, and says when it was away", async () => {
    const scratch = scratchDirectory();
    onTestFinished(() => scratch.remove());
    const stateDir = join(scratch.path, "state");
    const words = ["--state-dir", stateDir];
    const first = await startTestDaemon({ stateDir });
    onTestFinished(() => first.kill());
    const listening = start(["pending", "--watch", ...words]);
    onTestFinished(() => void listening.child.kill("SIGKILL"));
    await listening.says("listening");
    await countersign(["token", "rotate", "--role", "operator", ...words]);
    await listening.says(/is away[^]*listening/);
    await first.stop();
    await listening.says(/(?:listening[^]*is away[^]*){2}/);

    const second = await startTestDaemon({ stateDir });
    onTestFinished(() => second.kill());
    await listening.says(/(?:listening[^]*is away[^]*){2}listening/);
    const asking = start(["run", "--wait", ...words, "--", "uname"]);
    await listening.says("1  uname");
    asking.child.kill("SIGINT");
    expect((await asking.ended).exitCode).toBe(130);
    listening.child.kill("SIGTERM");
    expect((await listening.ended).exitCode).toBe(0);
  });
});
