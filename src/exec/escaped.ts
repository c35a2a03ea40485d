import { ESCAPED_NAMED_MAX } from "../core/limits.ts";
import type { Finished } from "./exec-host.ts";

/** Of a flood of them only some are named: what is said of a run must fit the record of it. */
export function namedOf(escaped: Finished["escaped"]): { readonly pid: number; readonly name: string }[] {
  return escaped.slice(0, ESCAPED_NAMED_MAX).map(({ pid, name }) => ({ pid, name }));
}
