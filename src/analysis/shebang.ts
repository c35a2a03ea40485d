import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import { type Denial, denial } from "../core/denial.ts";
import { WRAPPER_DEPTH_MAX } from "../core/limits.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { interpreterUse } from "./interpreter-use.ts";
import { interpreterNamed } from "./interpreters.ts";
import type { Machine, Program, Shebang } from "./machine.ts";
import { programName } from "./program-name.ts";
import { quoted } from "./quoted.ts";
import { shellUse, startupFiles } from "./shells.ts";

/** What the kernel really starts when a script is started by its own name, in the order in which one starts the next. */
export interface ShebangChain {
  readonly interpreters: readonly Program[];
  readonly unbound: readonly string[];
}

const NOTHING: ShebangChain = { interpreters: [], unbound: [] };

export function shebangChain(program: Program, cwd: AbsolutePath, machine: Machine): Result<ShebangChain, Denial> {
  const interpreters: Program[] = [];
  const unbound: string[] = [];
  let script = program;
  // execve(2): an interpreter may itself be a script, up to a small depth.
  for (let depth = 0; depth <= WRAPPER_DEPTH_MAX; depth += 1) {
    const line = machine.shebang(script.realPath);
    if (line === null) return interpreters.length === 0 ? ok(NOTHING) : ok({ interpreters, unbound });
    if (line === "none")
      return fail(
        denial("exec.not-executable", `${quoted(script.word)} is text without a \`#!\` line; name the interpreter that should run it`),
      );
    const interpreter = find(line.interpreter, script, cwd, machine);
    if (!interpreter.ok) return interpreter;
    interpreters.push(interpreter.value);
    const carried = carriedByEnv(line, interpreter.value);
    if (carried !== null) {
      const named = find(carried.word, script, cwd, machine);
      if (!named.ok) return named;
      interpreters.push(named.value);
      if (carried.more) unbound.push(`what ${quoted(`${line.interpreter} ${line.argument ?? ""}`)} adds in ${quoted(script.word)}`);
    }
    const last = interpreters.at(-1) ?? interpreter.value;
    if (carried === null && line.argument !== null) unbound.push(...loadedBy(last, line.argument, script));
    if (interpreterNamed(programName(last.word))?.imports === true && machine.childCanChange(script.realPath)) {
      unbound.push(`the files that ${quoted(script.word)} imports`);
    }
    script = last;
  }
  return fail(
    denial(
      "binding.unavailable",
      `${quoted(program.word)} is interpreted by scripts more than ${WRAPPER_DEPTH_MAX} deep; name the interpreter itself`,
    ),
  );
}

/** What the one argument of a `#!` line makes an interpreter read besides the script: `#!/bin/bash -l`, `#!/usr/bin/perl -Mx`. */
function loadedBy(interpreter: Program, argument: string, script: Program): readonly string[] {
  const argv: Argv = [interpreter.word, argument, script.word];
  const shell = shellUse(argv);
  const startup = shell === null ? null : startupFiles(programName(interpreter.word), shell.how);
  const loads = interpreterUse(argv)?.loads ?? [];
  return [
    ...(startup === null ? [] : [startup]),
    ...loads.map((load) => `the code that ${quoted(`${programName(interpreter.word)} ${load}`)} loads in ${quoted(script.word)}`),
  ];
}

function find(word: string, script: Program, cwd: AbsolutePath, machine: Machine): Result<Program, Denial> {
  const found = machine.program(word, cwd);
  if (typeof found === "object") return ok(found);
  const code = found === "not-found" ? "exec.not-found" : "exec.not-executable";
  return fail(
    denial(code, `the interpreter ${quoted(word)} of ${quoted(script.word)} cannot be started; install it or correct the \`#!\` line`),
  );
}

/** `#!/usr/bin/env NAME`; with `-S` the rest is split, and what stands around NAME is beyond us but for plain arguments. */
function carriedByEnv(line: Shebang, interpreter: Program): { readonly word: string; readonly more: boolean } | null {
  if (programName(interpreter.word) !== "env" || line.argument === null) return null;
  const split = /^(?:-S|--split-string)[ \t=]*(.*)$/.exec(line.argument)?.[1];
  if (split === undefined) return { word: line.argument.trim(), more: false };
  const words = split.trim().split(/[ \t]+/);
  const at = words.findIndex((word) => !word.startsWith("-") && !word.includes("="));
  return { word: words[at] ?? split, more: at > 0 || words.length > 1 };
}
