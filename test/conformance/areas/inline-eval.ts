import { inlineEvalOf, isInterpreterLike } from "../../../src/analysis/inline-eval.ts";
import { toArgv } from "../../../src/core/argv.ts";
import type { Area } from "../area.ts";
import { textOf, textsOf } from "../reading.ts";

/** `inline-eval.json`: which simple commands carry code or a command inline. Labels are informal and not compared. */
export const area: Area = {
  name: "inline-eval",
  check({ given, expect }) {
    if (given["op"] === "interpreter-pattern") {
      const like = isInterpreterLike(textOf(given["pattern"]));
      return like === expect["interpreterLike"] ? null : `interpreter-like: ${like}`;
    }
    const argv = toArgv(textsOf(given["argv"]));
    const label = argv === null ? null : inlineEvalOf(argv);
    return (label !== null) === expect["detected"] ? null : `detected ${label ?? "nothing"}`;
  },
};
