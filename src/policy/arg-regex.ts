import { RE2JS } from "re2js";
import type { RegexCompiler } from "./arg-pattern.ts";

/**
 * The one user of re2js. Patterns come from the operator but the text comes from the agent, so the engine must be linear: RE2 has no
 * backtracking, and refuses what would need it (look-around, back-references) when it compiles.
 */
export const compileRegex: RegexCompiler = (source) => {
  try {
    const compiled = RE2JS.compile(source);
    return (text) => compiled.matches(text);
  } catch {
    return null;
  }
};
