/** A first, plain host: hashes by descriptor and starts by path. It promises no more than `checked`, and says so. */
import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import type { Evidence } from "../binding/evidence.ts";
import { isVerified } from "../binding/verify.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { sha256Of } from "../core/sha256.ts";
import type { Native } from "../native/native.ts";
import { createChildren } from "./child.ts";
import type { ExecHost } from "./exec-host.ts";

export interface ExecHostOptions {
  readonly native: Native | null;
  readonly atStart: Readonly<Record<string, string | undefined>>;
  readonly stateDirectory: AbsolutePath;
}

export async function createExecHost(options: ExecHostOptions): Promise<Result<ExecHost, Denial>> {
  const children = createChildren(options);
  return ok({
    enforcement: { level: "checked", parts: [] },
    childOf: (settings) => children.childOf(settings),
    async hold(plan) {
      const hashed = (path: AbsolutePath) => ({ path, sha256: sha256Of(readFileSync(path)) });
      const fd = openSync(plan.cwd, "r");
      const { dev, ino } = fstatSync(fd, { bigint: true });
      closeSync(fd);
      const evidence: Evidence = {
        cwd: { path: plan.cwd, device: String(dev), inode: String(ino) },
        executable: hashed(plan.executable.realPath),
        nested: plan.nested.map(({ realPath }) => hashed(realPath)),
        files: plan.files.map(({ argvIndex, path }) => ({ argvIndex, ...hashed(path) })),
      };
      return ok(evidence);
    },
    release: () => undefined,
    launch: (verified, io) =>
      new Promise((settle) => {
        if (!isVerified(verified) || verified.step.kind !== "command") return settle(fail(denial("exec.spawn-failed", "not yet")));
        const { program, argv, cwd } = verified.step;
        const started = performance.now();
        const child = spawn(program.realPath, argv.slice(1), {
          argv0: argv[0],
          cwd,
          env: { ...Object.fromEntries(verified.environment), COUNTERSIGN_RUN: verified.runId },
          stdio: ["pipe", "pipe", "pipe"],
          detached: true,
        });
        let [timedOut, cancelled] = [false, false];
        const end = (): void => {
          try {
            process.kill(-(child.pid ?? 0), "SIGKILL");
          } catch {}
        };
        const timer = setTimeout(() => {
          timedOut = true;
          end();
        }, io.timeoutMs);
        io.signal.addEventListener("abort", () => {
          cancelled = true;
          end();
        });
        child.stdin.on("error", () => undefined);
        child.stdin.end(io.stdin ?? Buffer.alloc(0));
        child.stdout.on("data", (chunk: Buffer) => void io.output("stdout", chunk));
        child.stderr.on("data", (chunk: Buffer) => void io.output("stderr", chunk));
        child.on("error", (error) => settle(fail(denial("exec.spawn-failed", error.message))));
        child.on("close", (exitCode, signal) => {
          clearTimeout(timer);
          settle(
            ok({
              exitCode,
              signal,
              timedOut,
              cancelled,
              durationMs: Math.round(performance.now() - started),
              enforcement: "checked",
              escaped: [],
            }),
          );
        });
      }),
    stop: async () => undefined,
  });
}
