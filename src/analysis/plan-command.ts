import type { Argv } from "../core/argv.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { readChain } from "./chain.ts";
import type { CommandPlan, CommandRequest, OperandFile, Refusal } from "./command-plan.ts";
import { lookThrough } from "./look-through.ts";
import type { LookContext, Looked } from "./looked.ts";
import type { Machine, Program } from "./machine.ts";
import { quoted } from "./quoted.ts";
import type { Step } from "./step.ts";

/** What a request would really run: every program and file it comes down to, and how to start it. Looks, and starts nothing. */
export function planCommand(request: CommandRequest, machine: Machine): Result<CommandPlan, Denial> {
  const words = request.form.kind === "argv" ? request.form.argv : [request.form.text];
  if (words.some((word) => word.includes("\0")))
    return fail(denial("wire.invalid-params", "a word holds a NUL character, which no program can be given"));
  return request.form.kind === "argv" ? planArgv(request.form.argv, request, machine) : planText(request.form.text, request, machine);
}

function contextOf({ cwd }: CommandRequest, machine: Machine): LookContext {
  return { machine, cwd, piped: false, depth: 0, readText: readChain };
}

function planArgv(argv: Argv, request: CommandRequest, machine: Machine): Result<CommandPlan, Denial> {
  const executable = find(argv[0], request, machine);
  if (!executable.ok) return executable;
  const looked = lookThrough(argv, contextOf(request, machine));
  const plain: Step = { kind: "command", program: executable.value, argv, cwd: request.cwd, script: null, carried: null, interpreters: [] };
  if (looked.ok) {
    const { programs, files, unbound, startup, requested, segments, judged } = looked.value;
    const analysis = { ok: true, segments, asJudged: judged } as const;
    return ok(
      planOf({
        argv,
        request,
        executable: executable.value,
        nested: programs.slice(1),
        files,
        unbound,
        startup,
        analysis,
        asRequested: requested ?? plain,
      }),
    );
  }
  const { failure } = looked;
  if (failure.kind === "denial") return fail(failure.denial);
  const unbound = [`everything that the shell text in it starts, because that text cannot be analysed: ${failure.refusal.message}`];
  return ok(
    unanalysed(
      { argv, request, executable: executable.value, nested: failure.programs.slice(1), unbound, asRequested: plain },
      failure.refusal,
    ),
  );
}

function planText(text: string, request: CommandRequest, machine: Machine): Result<CommandPlan, Denial> {
  const shell = find("/bin/sh", request, machine);
  if (!shell.ok) return shell;
  const argv: Argv = ["/bin/sh", "-c", text];
  const executable = shell.value;
  const verbatim: Step = { kind: "command", program: executable, argv, cwd: request.cwd, script: null, carried: null, interpreters: [] };
  const chain = readChain(text, "sh", contextOf(request, machine));
  if (!chain.ok) {
    if (chain.failure.kind === "denial") return fail(chain.failure.denial);
    const unbound = [
      `everything but the text itself, because it cannot be analysed and /bin/sh runs it as it stands: ${chain.failure.refusal.message}`,
    ];
    return ok(unanalysed({ argv, request, executable, nested: [], unbound, asRequested: verbatim }, chain.failure.refusal));
  }
  const { programs, files, unbound, startup, requested, segments, judged } = chain.value;
  const analysis = { ok: true, segments, asJudged: judged } as const;
  if (requested !== null) {
    const bound = files.map(({ index, path }) => ({ index: index < 0 ? index : 2, path }));
    return ok(planOf({ argv, request, executable, nested: programs, files: bound, unbound, startup, analysis, asRequested: requested }));
  }
  // Whatever a shell has to run, it also resolves by itself: a promise about the programs inside would not be kept.
  const unkept = [`everything but the text itself, because ${needsShell(chain.value)} and /bin/sh runs it as it stands`];
  return ok(planOf({ argv, request, executable, nested: [], files: [], unbound: unkept, startup: [], analysis, asRequested: verbatim }));
}

function needsShell({ segments }: Looked): string {
  const first = segments.find(({ program }) => program === null);
  return first?.never === null ? `${quoted(first.argv[0])} is not found` : `${quoted(first?.argv[0] ?? "")} is part of the shell`;
}

function find(word: string, { cwd }: CommandRequest, machine: Machine): Result<Program, Denial> {
  const found = word === "" ? "not-found" : machine.program(word, cwd);
  if (typeof found === "object") return ok(found);
  if (found === "not-found")
    return fail(denial("exec.not-found", `${quoted(word)} is not found; install it or name its path`, { program: word }));
  return fail(
    denial("exec.not-executable", `${quoted(word)} cannot be executed; make it executable or name its interpreter`, { program: word }),
  );
}

interface Parts {
  readonly argv: Argv;
  readonly request: CommandRequest;
  readonly executable: Program;
  readonly nested: readonly Program[];
  readonly files: Looked["files"];
  readonly unbound: readonly string[];
  readonly startup: readonly string[];
  readonly analysis: CommandPlan["analysis"];
  readonly asRequested: Step;
}

function planOf({ argv, request, executable, nested, files, unbound, startup, analysis, asRequested }: Parts): CommandPlan {
  return {
    argv,
    cwd: request.cwd,
    executable,
    nested,
    files: inOrder(files),
    unbound: [...new Set([...startup, ...unbound])],
    startup: [...new Set(startup)],
    analysis,
    asRequested,
  };
}

function unanalysed(parts: Omit<Parts, "analysis" | "files" | "startup">, refusal: Refusal): CommandPlan {
  return planOf({ ...parts, files: [], startup: [], analysis: { ok: false, refusal } });
}

/** Stable: files of one argument stay in order of appearance. */
function inOrder(files: Looked["files"]): readonly OperandFile[] {
  return files.map(({ index, path }) => ({ argvIndex: index, path })).toSorted((a, b) => a.argvIndex - b.argvIndex);
}
