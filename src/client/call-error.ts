import type { Code } from "../core/codes.ts";
import type { JsonObject } from "../core/json.ts";

/** What can go wrong on the client's own side of the socket, before or besides an answer of the daemon's. */
export type ClientCode =
  | "client.unreachable"
  | "client.no-access"
  | "client.closed"
  | "client.aborted"
  | "client.untrusted-server"
  | "client.no-credential"
  | "client.unsafe-credential"
  | "client.bad-answer"
  | "client.too-many-calls";

/** A newer daemon may answer with a code that this client has never heard of: it is still the code to branch on. */
export type CallCode = Code | ClientCode | (string & {});

/**
 * The one thing this client throws. An exception and not a Result, because callers of a library expect a failed call to reject;
 * `code` is stable, `message` is for people, `data` is what the daemon said beside the code.
 */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: CallCode;
  readonly data: JsonObject;

  constructor(code: CallCode, message: string, data: JsonObject = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function isCallError(value: unknown): value is CallError {
  return value instanceof CallError;
}

export function aborted(what: string): CallError {
  return new CallError("client.aborted", `${what} was given up by the caller`);
}
