/** How each interpreter is given a script as a descriptor while the script goes on seeing what it would see under its own name. */
import { programName, rowFor } from "../../analysis/program-name.ts";
import { baseName } from "../../core/absolute-path.ts";
import { hostForNode } from "./node.ts";
import { hostForPerl } from "./perl.ts";
import { hostForPython } from "./python.ts";
import { hostForRuby } from "./ruby.ts";
import type { Hosted, ScriptHost, ScriptUse } from "./script-use.ts";
import { hostForBash, hostForPosixShell, hostForZsh } from "./shells.ts";

/**
 * What is not listed is run by its own path, and the run says that it was only checked. `sh` is whatever it leads to. Adding a row takes a
 * test that runs a script both ways and finds no difference.
 */
const HOSTS: ReadonlyMap<string, ScriptHost> = new Map([
  ["dash", hostForPosixShell],
  ["ash", hostForPosixShell],
  ["busybox", hostForPosixShell],
  ["bash", hostForBash],
  ["zsh", hostForZsh],
  ["python", hostForPython],
  ["pypy", hostForPython],
  ["perl", hostForPerl],
  ["ruby", hostForRuby],
  ["node", hostForNode],
  ["nodejs", hostForNode],
]);

export function hostScript(use: ScriptUse): Hosted | null {
  // A name with a line break in it would shift every line that comes after it.
  if (/[\r\n]/.test(use.argv[use.index] ?? "")) return null;
  const called = programName(use.argv[0] ?? "");
  const real = programName(baseName(use.program.realPath));
  const host = called === "sh" ? rowFor(HOSTS, real) : (rowFor(HOSTS, called) ?? rowFor(HOSTS, real));
  return host?.(use) ?? null;
}
