import type { Code } from "./codes.ts";
import type { JsonObject } from "./json.ts";

/**
 * A no, with everything a person or a program needs to act on it. `message` is one fact and one remedy: lower case, no full stop, user
 * input in backticks, no line break. `details` goes into the error's `data` beside the code and never holds environment values or tokens.
 */
export interface Denial {
  readonly code: Code;
  readonly message: string;
  readonly details: JsonObject;
}

export function denial(code: Code, message: string, details: JsonObject = {}): Denial {
  return { code, message, details };
}
