import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type ConnectOptions, connect } from "../../src/client/client.ts";
import { CALLS_PER_CONNECTION_MAX, LINE_BYTES_MAX, STREAM_QUEUE_ITEMS_MAX, TOKEN_FILE_BYTES_MAX } from "../../src/core/limits.ts";
import { type Answer, type FakeDaemon, Refusal, startFakeDaemon, TOKEN } from "../support/fake-daemon.ts";

const running: FakeDaemon[] = [];
afterEach(async () => {
  for (const daemon of running.splice(0)) await daemon.stop();
});

async function fake(answers: Readonly<Record<string, Answer>> = {}, token?: string): Promise<FakeDaemon> {
  const daemon = await startFakeDaemon(answers, token);
  running.push(daemon);
  return daemon;
}

function to(daemon: FakeDaemon, more: Partial<ConnectOptions> = {}): ConnectOptions {
  return { socketPath: daemon.socketPath, token: TOKEN, role: "gateway", ...more };
}

const RESULT = {
  runId: "r1", exitCode: 0, signal: null, timedOut: false, cancelled: false, durationMs: 1, stdout: "", stderr: "",
  stdoutTruncated: false, stderrTruncated: false, stdoutBytes: 0, stderrBytes: 0, decidedBy: "allowlist", binding: "sha256:0", enforcement: "sealed", escaped: [],
}; // biome-ignore format: the shape of the protocol page

const never = new Promise<never>(() => {});

describe("authentication", () => {
  test("both sides prove that they know the token, and it never crosses the socket", async () => {
    const daemon = await fake();
    const client = await connect(to(daemon, { agentId: "main" }));
    client.close();
    expect(client.welcome.hostId).toBe("host-1");
    expect(daemon.tokensSeen).toEqual([]);
    expect(JSON.stringify(daemon.calls)).not.toContain(TOKEN);
    expect(daemon.calls.map(({ method }) => method)).toEqual(["hello", "authenticate"]);
    expect(daemon.calls[0]?.params["agentId"]).toBe("main");
  });

  test("a listener that does not know the token learns nothing from the attempt", async () => {
    const daemon = await fake({}, "another-token");
    await expect(connect(to(daemon))).rejects.toMatchObject({ code: "client.untrusted-server" });
    expect(daemon.calls.map(({ method }) => method)).toEqual(["hello"]);
  });

  test("the plain form sends the token and the agent, when asked for", async () => {
    const daemon = await fake();
    (await connect(to(daemon, { mutual: false, agentId: "ops" }))).close();
    expect(daemon.tokensSeen).toEqual([TOKEN]);
    expect(daemon.calls[0]?.params).toEqual({ token: TOKEN, agentId: "ops" });
  });

  test("another protocol version is refused rather than guessed at", async () => {
    const daemon = await fake({
      authenticate: () => ({ role: "gateway", server: "countersign/9", protocol: 2, hostId: "h", enforcement: {} }),
    });
    await expect(connect(to(daemon))).rejects.toMatchObject({ code: "client.bad-answer" });
  });
});

describe("a token file", () => {
  const cases: { name: string; why: string; make: (path: string) => void; code: string | null }[] = [
    {
      name: "of one's own, mode 0600",
      why: "the ordinary case",
      make: (path) => writeFileSync(path, `${TOKEN}\n`, { mode: 0o600 }),
      code: null,
    },
    {
      name: "readable by the group",
      why: "somebody else may hold it by now",
      make: (path) => {
        writeFileSync(path, TOKEN);
        chmodSync(path, 0o640);
      },
      code: "client.unsafe-credential",
    },
    {
      name: "that is a link",
      why: "somebody else decides where it leads",
      make: (path) => symlinkSync("/etc/hostname", path),
      code: "client.unsafe-credential",
    },
    { name: "that is missing", why: "say how to get one", make: () => {}, code: "client.no-credential" },
    {
      name: "that is empty",
      why: "an empty key proves nothing",
      make: (path) => writeFileSync(path, "\n", { mode: 0o600 }),
      code: "client.no-credential",
    },
    {
      name: "of more than the bound",
      why: "that is not a token",
      make: (path) => writeFileSync(path, "x".repeat(TOKEN_FILE_BYTES_MAX + 1), { mode: 0o600 }),
      code: "client.unsafe-credential",
    },
  ];
  test.each(cases)("$name: $why", async ({ make, code }) => {
    const daemon = await fake();
    const tokenFile = join(daemon.directory, "token");
    make(tokenFile);
    const attempt = connect({ socketPath: daemon.socketPath, role: "gateway", tokenFile });
    if (code === null) (await attempt).close();
    else await expect(attempt).rejects.toMatchObject({ code });
  });
});

describe("calls", () => {
  test("answers find their callers in whatever order they come", async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const daemon = await fake({ slow: async () => held.then(() => ({ which: "slow" })), quick: () => ({ which: "quick" }) });
    const client = await connect(to(daemon));
    const slow = client.call("slow");
    expect(await client.call("quick")).toEqual({ which: "quick" });
    release();
    expect(await slow).toEqual({ which: "slow" });
    client.close();
  });

  test("a refusal arrives with its code, its sentence and its data", async () => {
    const daemon = await fake({
      "system.run": () => {
        throw new Refusal("approval.required", "this needs an approval", { binding: "sha256:1" });
      },
    });
    const client = await connect(to(daemon));
    await expect(client.call("system.run", { argv: ["ls"] })).rejects.toMatchObject({
      code: "approval.required",
      message: "this needs an approval",
      data: { binding: "sha256:1" },
    });
    client.close();
  });

  test("an answer of the wrong shape is not passed on as if it were right", async () => {
    const daemon = await fake({ "system.run": () => ({ exitCode: "0" }) });
    const client = await connect(to(daemon));
    await expect(client.call("system.run", { argv: ["ls"] })).rejects.toMatchObject({ code: "client.bad-answer" });
    client.close();
  });

  test("giving up one call leaves the others alone", async () => {
    const daemon = await fake({ never: async () => never, quick: () => ({}) });
    const client = await connect(to(daemon));
    const stop = new AbortController();
    const call = client.call("never", {}, stop.signal);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "client.aborted" });
    expect(await client.call("quick")).toEqual({});
    client.close();
  });

  test("one more call than the daemon takes is refused here", async () => {
    const daemon = await fake({ never: async () => never });
    const client = await connect(to(daemon));
    const calls = Array.from({ length: CALLS_PER_CONNECTION_MAX }, () => client.call("never").catch((error: unknown) => error));
    await expect(client.call("never")).rejects.toMatchObject({ code: "client.too-many-calls" });
    client.close();
    expect(await Promise.all(calls)).toHaveLength(CALLS_PER_CONNECTION_MAX);
  });

  test("a request that no daemon would read is not sent", async () => {
    const daemon = await fake();
    const client = await connect(to(daemon));
    await expect(client.call("status", { text: "x".repeat(LINE_BYTES_MAX) })).rejects.toMatchObject({ code: "wire.line-too-long" });
    expect(daemon.calls).toHaveLength(2);
    client.close();
  });

  const broken: { name: string; bytes: string | Buffer }[] = [
    { name: "a line without an end", bytes: "x".repeat(LINE_BYTES_MAX + 1) },
    { name: "something that is not JSON", bytes: "{\n" },
    { name: "a JSON value that is no object", bytes: "null\n" },
    { name: "invalid UTF-8", bytes: Buffer.from([0x22, 0xff, 0x22, 0x0a]) },
    { name: "a frame that is neither answer nor notification", bytes: '{"jsonrpc":"2.0"}\n' },
  ];
  test.each(broken)("a daemon that sends $name fails every call on the connection", async ({ bytes }) => {
    const daemon = await fake({
      status: async (_params, peer) => {
        peer.raw(bytes);
        return never;
      },
    });
    const client = await connect(to(daemon));
    await expect(client.call("status")).rejects.toMatchObject({ code: "client.bad-answer" });
    await expect(client.call("status")).rejects.toMatchObject({ code: "client.bad-answer" });
  });

  test("a connection that goes away says so to everyone who waits", async () => {
    const daemon = await fake({
      status: async (_params, peer) => {
        peer.hangUp();
        return never;
      },
    });
    const client = await connect(to(daemon));
    await expect(client.call("status")).rejects.toMatchObject({ code: "client.closed" });
  });

  test("an absent daemon is told from one that refuses", async () => {
    await expect(connect({ socketPath: "/nonexistent/s.sock", token: "t", role: "gateway" })).rejects.toMatchObject({
      code: "client.unreachable",
      data: { errno: "ENOENT" },
    });
  });
});

describe("a run", () => {
  test("gives its output as it comes, and then its result", async () => {
    const daemon = await fake({
      "system.run": (_params, peer) => {
        peer.notify("exec.output", { runId: "r1", stream: "stdout", seq: 0, data: Buffer.from("one ").toString("base64") });
        peer.notify("exec.output", { runId: "r1", stream: "stderr", seq: 1, data: Buffer.from([0xff]).toString("base64") });
        return RESULT;
      },
    });
    const client = await connect(to(daemon));
    const run = client.run({ argv: ["ls"] });
    const seen: string[] = [];
    for await (const { stream, bytes } of run) seen.push(`${stream}:${bytes.toString("latin1")}`);
    expect(seen).toEqual(["stdout:one ", "stderr:\u00ff"]);
    expect((await run.result).exitCode).toBe(0);
    client.close();
  });

  test("that is refused says so to the iterator and to the result", async () => {
    const daemon = await fake({
      "system.run": () => {
        throw new Refusal("policy.allowlist-miss", "not listed");
      },
    });
    const client = await connect(to(daemon));
    const run = client.run({ argv: ["ls"] });
    await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "policy.allowlist-miss" });
    await expect(run.result).rejects.toMatchObject({ code: "policy.allowlist-miss" });
    client.close();
  });

  test("is cancelled by name once it is known, and its result still arrives", async () => {
    let ended: (result: typeof RESULT) => void = () => {};
    const daemon = await fake({
      "system.run": async (_params, peer) => {
        peer.notify("exec.output", { runId: "r1", stream: "stdout", seq: 0, data: "" });
        return new Promise((resolve) => {
          ended = resolve;
        });
      },
      "system.run.cancel": () => {
        ended({ ...RESULT, cancelled: true });
        return {};
      },
    });
    const client = await connect(to(daemon));
    const stop = new AbortController();
    const run = client.run({ argv: ["sleep", "9"] }, stop.signal);
    await run[Symbol.asyncIterator]().next();
    stop.abort();
    expect((await run.result).cancelled).toBe(true);
    expect(daemon.calls.at(-1)).toEqual({ method: "system.run.cancel", params: { runId: "r1" } });
    client.close();
  });

  test("of which nothing was heard yet is ended by closing its connection, and only its own", async () => {
    let left: Promise<void> = Promise.resolve();
    const daemon = await fake({
      "system.run": async (_params, peer) => {
        left = peer.gone;
        return never;
      },
      quick: () => ({}),
    });
    const client = await connect(to(daemon));
    const stop = new AbortController();
    const run = client.run({ argv: ["sleep", "9"] }, stop.signal);
    while (!daemon.calls.some(({ method }) => method === "system.run")) await new Promise((resolve) => void setTimeout(resolve, 5));
    stop.abort();
    await expect(run.result).rejects.toMatchObject({ code: "client.aborted" });
    await left;
    expect(await client.call("quick")).toEqual({});
    client.close();
  });

  test("whose reader leaves is cancelled", async () => {
    const daemon = await fake({
      "system.run": async (_params, peer) => {
        peer.notify("exec.output", { runId: "r1", stream: "stdout", seq: 0, data: "" });
        return never;
      },
      "system.run.cancel": (_params, peer) => {
        peer.hangUp();
        return {};
      },
    });
    const client = await connect(to(daemon));
    for await (const _chunk of client.run({ argv: ["yes"] })) break;
    expect(daemon.calls.at(-1)?.method).toBe("system.run.cancel");
    client.close();
  });

  test("whose reader falls behind is waited for: reading stops near the bound and nothing is lost", async () => {
    const total = STREAM_QUEUE_ITEMS_MAX * 8;
    const data = Buffer.alloc(8192, 120).toString("base64");
    const daemon = await fake({
      "system.run": (_params, peer) => {
        for (let seq = 0; seq < total; seq += 1) peer.notify("exec.output", { runId: "r1", stream: "stdout", seq, data });
        return RESULT;
      },
    });
    const client = await connect(to(daemon));
    const run = client.run({ argv: ["yes"] });
    let early = false;
    void run.result.then(() => {
      early = true;
    });
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect(early).toBe(false);
    let chunks = 0;
    for await (const _chunk of run) chunks += 1;
    expect(chunks).toBe(total);
    client.close();
  });
});

describe("a subscription", () => {
  test("outlives a restart and says that it was away", async () => {
    let subscribed = 0;
    const daemon = await fake({
      "events.subscribe": (_params, peer) => {
        subscribed += 1;
        const number = subscribed;
        setTimeout(() => peer.notify("exec.started", { number }), 5);
        return {};
      },
    });
    const client = await connect(to(daemon));
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const happening of client.subscribe(["exec.started"], stop.signal)) {
      seen.push(happening.kind === "event" ? `${happening.topic} ${JSON.stringify(happening.params)}` : happening.kind);
      if (seen.length === 2) await daemon.restart();
      if (happening.kind === "event" && happening.params["number"] === 2) stop.abort();
    }
    expect(seen[0]).toBe("connected");
    expect(seen[1]).toBe('exec.started {"number":1}');
    expect(seen).toContain("lost");
    expect(seen.at(-1)).toBe('exec.started {"number":2}');
  });

  test("that never stood fails at once", async () => {
    const daemon = await fake();
    const client = await connect(to(daemon));
    await daemon.stop();
    running.splice(0);
    await expect(client.subscribe(["exec.started"])[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "client.unreachable" });
  });

  test("ends when the caller says so, also while nothing happens", async () => {
    const daemon = await fake();
    const client = await connect(to(daemon));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    const seen: string[] = [];
    for await (const { kind } of client.subscribe(["exec.started"], stop.signal)) seen.push(kind);
    expect(seen).toEqual(["connected"]);
    client.close();
  });
});
