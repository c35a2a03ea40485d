/** What a plan wants held: each file once, with everything that it is wanted for. */
import type { CommandPlan, OperandFile } from "../analysis/command-plan.ts";
import type { Program } from "../analysis/machine.ts";
import type { CommandStep, Step } from "../analysis/step.ts";
import { type AbsolutePath, isInside, parentOf } from "../core/absolute-path.ts";
import type { Sight } from "./machine.ts";
import type { Named } from "./open-file.ts";

export interface Need extends Named {
  /** An interpreter reads it; otherwise the kernel starts it. */
  readonly isOperand: boolean;
  /**
   * Whoever reads it opens it by a name of the command's. This says that root alone decides where those names lead: a link of the child's
   * own to a script of root's is not exact, however well the script itself is kept.
   */
  readonly isExact: boolean;
}

export function needsOf(plan: CommandPlan, sight: Sight): ReadonlyMap<AbsolutePath, Need> {
  const needs = new Map<AbsolutePath, Need>();
  const add = (path: AbsolutePath, field: string, isOperand: boolean, isExact: boolean): void => {
    const before = needs.get(path) ?? { field, isOperand: false, isExact: true };
    needs.set(path, { path, field: before.field, isOperand: before.isOperand || isOperand, isExact: before.isExact && isExact });
  };
  add(plan.executable.realPath, "executable", false, isExactProgram(plan.executable));
  for (const [index, program] of plan.nested.entries()) add(program.realPath, `nested[${index}]`, false, isExactProgram(program));
  for (const [index, file] of plan.files.entries()) add(file.path, `files[${index}]`, true, isExactOperand(file, plan, sight));
  return needs;
}

/** Every command in the plan, as it was asked for and as it was judged. */
export function commandsOf({ asRequested, analysis }: CommandPlan): readonly CommandStep[] {
  return (analysis.ok ? [asRequested, analysis.asJudged] : [asRequested]).flatMap(commandsIn);
}

function commandsIn(step: Step): readonly CommandStep[] {
  switch (step.kind) {
    case "command":
      return [step];
    case "chain":
      return step.parts.flatMap((part) => commandsIn(part.step));
    case "nothing":
      return [];
  }
}

function isExactProgram({ linksAreRoots, word }: Program): boolean {
  return linksAreRoots && !climbs(word);
}

function isExactOperand({ path, argvIndex }: OperandFile, plan: CommandPlan, sight: Sight): boolean {
  const commands = commandsOf(plan).filter(({ script }) => script?.path === path);
  if (commands.length > 0) {
    return commands.every(({ argv, cwd, script }) => leadsExactly(argv[script?.index ?? -1] ?? "", cwd, path, sight));
  }
  if (argvIndex < 0) return isExactConvention(path, plan.cwd, sight);
  // `-f FILE`, `-fFILE`, `--file=FILE`: one of these is the name.
  const word = plan.argv[argvIndex] ?? "";
  return [word, word.slice(2), word.slice(word.indexOf("=") + 1)].some((name) => leadsExactly(name, plan.cwd, path, sight));
}

/** Found by its conventional name, in the working directory or above: nobody else may be able to put one there that is found first. */
function isExactConvention(path: AbsolutePath, cwd: AbsolutePath, sight: Sight): boolean {
  return isInside(cwd, parentOf(path)) && !sight.byAnyone.changeable(cwd);
}

function leadsExactly(name: string, cwd: AbsolutePath, path: AbsolutePath, { walker, byAnyone }: Sight): boolean {
  if (climbs(name)) return false;
  const walked = walker.walk(name.startsWith("/") ? name : `${cwd}/${name}`);
  return walked?.path === path && !walked.links.some((link) => byAnyone.replaceable(link));
}

/** `x/../y` is y only for as long as x is a directory and no link. */
function climbs(name: string): boolean {
  return name.split("/").includes("..");
}
