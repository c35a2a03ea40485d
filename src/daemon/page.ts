import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";

/** What comes behind the one that a cursor names. A cursor that names nothing is refused: to begin again would page in a circle. */
export function behindCursor<T>(all: readonly T[], cursor: string | undefined, nameOf: (item: T) => string): Result<readonly T[], Denial> {
  if (cursor === undefined) return ok(all);
  const at = all.findIndex((item) => nameOf(item) === cursor);
  return at < 0
    ? fail(denial("wire.invalid-params", "`cursor` names nothing that is still there; leave it out to begin again", { field: "cursor" }))
    : ok(all.slice(at + 1));
}
