/** Commands down the real road, from argv to ended processes: planned, held, verified and launched, in a scratch directory. */
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { planCommand } from "../../src/analysis/plan-command.ts";
import type { Step } from "../../src/analysis/step.ts";
import { bindingOf, boundParts } from "../../src/binding/binding.ts";
import { verify } from "../../src/binding/verify.ts";
import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { toArgv } from "../../src/core/argv.ts";
import { toEnvironment } from "../../src/core/environment.ts";
import { isAgentId, isRunId, type RunId } from "../../src/core/ids.ts";
import { ok, type Result } from "../../src/core/result.ts";
import { createExecHost } from "../../src/exec/create-exec-host.ts";
import type { ExecHost, Finished, LaunchIo, Unfinished } from "../../src/exec/exec-host.ts";
import { loadNative } from "../../src/native/libc.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../../src/policy/exec-settings.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

export interface Asked {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly io?: Partial<LaunchIo>;
  readonly settings?: Partial<ExecSettings>;
  /** As policy would start it, with shells and wrappers looked through; otherwise as a person would have approved it. */
  readonly judged?: boolean;
  /** Between the look at the files and the start. */
  readonly meanwhile?: () => void | Promise<void>;
}

export interface Ran {
  readonly result: Result<Finished, Unfinished>;
  readonly stdout: string;
  readonly stderr: string;
  readonly runId: RunId;
  readonly step: Step;
}

export interface Lab {
  readonly host: ExecHost;
  readonly root: string;
  /** Under the scratch directory; a file whose text begins with `#!` is made executable. */
  write(path: string, text: string): string;
  /** A list of words is an argv, a text is a shell command. */
  run(command: readonly string[] | string, asked?: Asked): Promise<Ran>;
  /** What it printed, when it ended well. */
  output(command: readonly string[] | string, asked?: Asked): Promise<string>;
  stop(): Promise<void>;
}

export async function openLab(native = loadNative()): Promise<Lab> {
  const scratch: Scratch = scratchDirectory();
  const root = realpathSync(scratch.path);
  mkdirSync(join(root, "state"), { mode: 0o700 });
  mkdirSync(join(root, "work"));
  const PATH = "/usr/local/bin:/usr/bin:/bin";
  const created = await createExecHost({
    native,
    atStart: { PATH, HOME: join(root, "work") },
    stateDirectory: absolute(join(root, "state")),
  });
  if (!created.ok) throw new Error(created.failure.message);
  const host = created.value;

  async function run(command: readonly string[] | string, asked: Asked = {}): Promise<Ran> {
    const settings = { ...EXEC_SETTINGS_DEFAULT, ...asked.settings };
    const child = given(host.childOf(settings));
    const argv = typeof command === "string" ? null : toArgv(command);
    const form = argv === null ? ({ kind: "command", text: String(command) } as const) : ({ kind: "argv", argv } as const);
    const cwd = absolute(realpathSync(asked.cwd ?? join(root, "work")));
    const plan = given(planCommand({ form, cwd, hasStdin: false }, child.machine));
    const environment = toEnvironment(Object.entries({ PATH, HOME: join(root, "work"), LANG: "C.UTF-8", ...asked.env }));
    const evidence = given(await host.hold(plan, settings));
    try {
      const agentId = "main";
      if (!isAgentId(agentId)) throw new Error("no agent");
      const request = { argv: plan.argv, environment, agentId, sessionKey: "", stdin: { bytes: 0, sha256: null } };
      const runId = newRunId();
      const binding = bindingOf(boundParts(request, evidence));
      const step = asked.judged === true && plan.analysis.ok ? plan.analysis.asJudged : plan.asRequested;
      const verified = given(verify({ kind: "token", binding }, runId, step, request, evidence));
      await asked.meanwhile?.();
      const chunks: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
      const result = await host.launch(verified, {
        mayStart: Promise.resolve(ok(undefined)),
        stdin: null,
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        minEnforcement: null,
        runAs: null,
        output: (stream, bytes) => void chunks[stream].push(bytes),
        ...asked.io,
      });
      return { result, runId, step, stdout: Buffer.concat(chunks.stdout).toString(), stderr: Buffer.concat(chunks.stderr).toString() };
    } finally {
      host.release(evidence);
    }
  }

  return {
    host,
    root,
    run,
    async output(command, asked) {
      const { result, stdout, stderr } = await run(command, asked);
      if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
      if (result.value.exitCode !== 0) throw new Error(`ended with ${result.value.exitCode ?? result.value.signal}: ${stderr}`);
      return stdout;
    },
    write(path, text) {
      const full = join(root, "work", path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      // For everybody to change: what only root could change needs no seal, and these tests may run as root.
      chmodSync(full, text.startsWith("#!") ? 0o777 : 0o666);
      return full;
    },
    async stop() {
      await host.stop();
      scratch.remove();
    },
  };
}

export function absolute(text: string): AbsolutePath {
  return given(parseAbsolutePath(text));
}

export function given<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

export function newRunId(): RunId {
  const id = crypto.randomUUID();
  if (!isRunId(id)) throw new Error("not a run's id");
  return id;
}
