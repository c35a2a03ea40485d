import type { JsonObject } from "../../src/core/json.ts";

/** One case of a vectors file. `whole` is the case as it lies there, for files that are shaped in their own way. */
export interface Row {
  readonly id: string;
  readonly given: JsonObject;
  /** What must come out; the runner tries each alternative of a case as a row of its own. */
  readonly expect: JsonObject;
  readonly whole: JsonObject;
}

/** Plays the cases of `<name>.json` through the real functions. Each lives in `areas/<name>.ts` and is exported as `area`. */
export interface Area {
  readonly name: string;
  /** `null` when the case holds, else what came out instead. */
  check(row: Row): string | null | Promise<string | null>;
  /** For files that are not a list of `cases`. */
  rows?(file: JsonObject): readonly Row[];
}
