import { type Denial, denial } from "../core/denial.ts";
import { SETTINGS_PROBLEMS_MAX } from "../core/limits.ts";
import { placeOf } from "./json5-tree.ts";

/** One mistake in the settings file. `message` completes "`path` …". */
export interface Problem {
  readonly path: string;
  readonly at: number;
  readonly message: string;
}

/** Every mistake with its line and column, so that a person mends a file in one go; the first one is the sentence. */
export function invalidSettings(problems: readonly Problem[], text: string, source: string): Denial {
  const placed = problems
    .toSorted((a, b) => a.at - b.at)
    .slice(0, SETTINGS_PROBLEMS_MAX)
    .map(({ path, at, message }) => ({ path, ...placeOf(text, at), message }));
  const [first] = placed;
  const others = problems.length - 1;
  const more = others < 1 ? "" : ` (and ${others} more)`;
  const where = first === undefined ? source : `${source}:${first.line}:${first.column}`;
  const what = first === undefined ? "cannot be read" : `${first.path === "" ? "the file" : `\`${first.path}\``} ${first.message}`;
  const remedy = /[;?]/.test(first?.message ?? "") ? "" : "; mend it and load it again";
  return denial("config.invalid", `${where}: ${what}${more}${remedy}`, { source, problems: placed });
}

/** `agents.list[0].tools`, `tools.byProvider["openai/gpt-5.2"]`: what a person would type to find it. */
export function memberPath(path: string, key: string): string {
  const plain = /^[A-Za-z_$][A-Za-z0-9_$-]*$/.test(key);
  if (!plain) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
