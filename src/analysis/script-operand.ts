import type { Argv } from "../core/argv.ts";
import { interpreterUse } from "./interpreter-use.ts";
import { packageRunner } from "./package-runners.ts";
import { shellUse } from "./shells.ts";
import { trustPlan } from "./wrappers.ts";

/**
 * Which word of argv is the script whose bytes must be bound, by argv alone: looked for under wrappers and package runners. `null` when
 * there is none; `"refuse"` when code is loaded besides, or an unknown option hides it, so that binding one file would promise too much.
 */
export function scriptOperand(argv: Argv): number | "refuse" | null {
  const { argv: inner } = trustPlan(argv);
  const offset = argv.length - inner.length;
  const runner = packageRunner(inner);
  if (runner !== null) {
    const found = scriptOperand(runner.argv);
    return typeof found === "number" ? found + argv.length - runner.argv.length : found;
  }
  const shell = shellUse(inner);
  if (shell !== null) return shell.kind === "script" ? offset + shell.at : null;
  const use = interpreterUse(inner);
  if (use === null) return null;
  if (use.ambiguous !== null || use.loads.length > 0 || use.files.length > 1) return "refuse";
  const [file] = use.files;
  if (file === undefined || (use.row.subcommands === true && !/[./]/.test(file.path))) return null;
  return offset + file.index;
}
