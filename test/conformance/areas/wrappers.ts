import { packageRunner } from "../../../src/analysis/package-runners.ts";
import { programName } from "../../../src/analysis/program-name.ts";
import { isShellName } from "../../../src/analysis/shells.ts";
import { envPreludeModifies, inlineCommandOf, isDispatchWrapper, trustPlan, unwrapOne } from "../../../src/analysis/wrappers.ts";
import { toArgv } from "../../../src/core/argv.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Area } from "../area.ts";
import { same, textOf, textsOf } from "../reading.ts";

/** `wrappers.json`: what may be looked through, how far, and what must stop it. */
export const area: Area = {
  name: "wrappers",
  check({ given, expect }) {
    const found = answer(textOf(given["op"]), textsOf(given["argv"]), given["maxDepth"]);
    const wrong = Object.keys(expect).find((key) => !same(expect[key], found[key]));
    return wrong === undefined ? null : `${wrong}: found ${JSON.stringify(found)}, wanted ${JSON.stringify(expect)}`;
  },
};

function answer(op: string, words: readonly string[], depthMax: unknown): JsonObject {
  const argv = toArgv(words);
  const name = programName(words[0] ?? "");
  switch (op) {
    case "unwrap-one":
      return { ...unwrapOne(words) };
    case "inline-command":
      return { command: inlineCommandOf(words) };
    case "classify":
      return { dispatch: isDispatchWrapper(name), shell: isShellName(name) };
    case "normalize-name":
      return { name };
    case "package-runner":
      return { argv: argv === null ? null : (packageRunner(argv)?.argv ?? null) };
    case "env-prelude":
      return { modifies: envPreludeModifies(words) };
    case "trust-plan":
      return trustAnswer(words, typeof depthMax === "number" ? depthMax : undefined);
    default:
      throw new Error(`no such question: ${op}`);
  }
}

function trustAnswer(words: readonly string[], depthMax: number | undefined): JsonObject {
  const argv = toArgv(words);
  if (argv === null) return { blocked: false, argv: [], wrappers: [] };
  const plan = trustPlan(argv, depthMax);
  if (plan.blocked !== null) return { blocked: true, blockedWrapper: plan.blocked.wrapper, argv: plan.argv };
  return { blocked: false, argv: plan.argv, wrappers: plan.wrappers.map((wrapper) => wrapper.name) };
}
