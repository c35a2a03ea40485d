import { CallError } from "../client/call-error.ts";
import type { Denial } from "../core/denial.ts";
import type { Result } from "../core/result.ts";

/** For work that a command does itself, without the daemon: its no is reported as the daemon's would be. */
export function must<Value>(result: Result<Value, Denial>): Value {
  if (result.ok) return result.value;
  const { code, message, details } = result.failure;
  throw new CallError(code, message, details);
}
