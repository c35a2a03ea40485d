import type { CommandPlan } from "../../src/analysis/command-plan.ts";
import type { Machine } from "../../src/analysis/machine.ts";
import { planCommand } from "../../src/analysis/plan-command.ts";
import { type AbsolutePath, isInside, parentOf, resolvePath } from "../../src/core/absolute-path.ts";
import { toArgv } from "../../src/core/argv.ts";
import type { Denial } from "../../src/core/denial.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import type { Result } from "../../src/core/result.ts";
import { sha256Of } from "../../src/core/sha256.ts";
import { path } from "../policy/table-machine.ts";
import { optionalTexts, textOf, textsOf } from "./reading.ts";

/**
 * The machine that `allowlist.json` and `allow-always.json` describe: what `executables` and `files` name is there, nothing else is on PATH,
 * and the working directory and the home are the command's own to change, while the rest belongs to root.
 */
export interface Virtual {
  readonly machine: Machine;
  readonly cwd: AbsolutePath;
}

export function virtualMachine(given: JsonObject): Virtual {
  const named = isJsonObject(given["executables"]) ? given["executables"] : {};
  const onPath = new Map(Object.entries(named).map(([name, at]) => [name, path(textOf(at))]));
  const cwd = path(textOf(given["cwd"] ?? "/v/work"));
  const home = path(textOf(given["home"] ?? "/v/home/u"));
  // Whatever a text is, the shell that would have read it is there.
  const executables = new Set([...onPath.values(), path("/bin/sh")]);
  const files = new Set([...executables, ...(optionalTexts(given["files"]) ?? []).map(path)]);
  const directories = new Set<string>(["/", cwd, home, "/bin", "/usr/bin", "/tmp"]);
  for (const file of [...files, cwd, home]) for (let up = file; up !== "/"; up = parentOf(up)) directories.add(parentOf(up));
  const machine: Machine = {
    home,
    stateDirectory: path("/v/state/countersign"),
    program(word, from) {
      const at = word.includes("/") ? resolvePath(from, word) : onPath.get(word);
      if (at === undefined || !files.has(at)) return "not-found";
      return executables.has(at) ? { word, linkPath: at, realPath: at, linksAreRoots: true } : "not-executable";
    },
    kindOf: (at) => (files.has(at) ? "file" : directories.has(at) ? "directory" : null),
    realPath: (at) => (files.has(at) || directories.has(at) ? at : null),
    linkText: () => null,
    childCanChange: (at) => isInside(at, cwd) || isInside(at, home),
    inWorldWritableDirectory: (at) => isInside(at, path("/tmp")),
    shebang: () => null,
  };
  return { machine, cwd };
}

/** Every file there is holds its own name. */
export function hashOf(at: AbsolutePath): ReturnType<typeof sha256Of> {
  return sha256Of(at);
}

export function planOf(given: JsonObject, { machine, cwd }: Virtual): Result<CommandPlan, Denial> {
  const argv = given["argv"] === undefined ? null : toArgv(textsOf(given["argv"]));
  const form = argv === null ? ({ kind: "command", text: textOf(given["command"]) } as const) : ({ kind: "argv", argv } as const);
  return planCommand({ form, cwd, hasStdin: false }, machine);
}

/** A text is analysed also where the machine then lacks something that it names. */
export function isAnalysed(plan: Result<CommandPlan, Denial>): boolean {
  return plan.ok ? plan.value.analysis.ok : true;
}
