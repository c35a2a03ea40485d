import { carriesInAnyForm } from "../analysis/carriers.ts";
import { isInterpreterLike } from "../analysis/inline-eval.ts";
import { programName } from "../analysis/program-name.ts";
import { isShellName } from "../analysis/shells.ts";
import { isDispatchWrapper, isMultiplexer } from "../analysis/wrappers.ts";

/**
 * Programs that are told what to do by their arguments, their input or a file: an entry for one of them is an entry for everything. The
 * tables that judge commands say which those are, so a program that is asked about each time is also one that is never remembered.
 */
export type Breadth = "shell" | "interpreter" | "carrier";

/** How much an entry for this program would cover, if more than the program itself. */
export function breadthOf(program: string): Breadth | null {
  const name = programName(program);
  if (isShellName(name) || isMultiplexer(name)) return "shell";
  if (isInterpreterLike(name)) return "interpreter";
  return isDispatchWrapper(name) || carriesInAnyForm(name) || name === "countersign" ? "carrier" : null;
}
