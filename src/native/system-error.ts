import { getSystemErrorName } from "node:util";

/** A system call that had no business failing. `code` is the errno's name, as on Node's own errors. */
export class SystemError extends Error {
  readonly code: string;

  constructor(call: string, errno: number) {
    super(`${call} failed: ${errnoName(errno)}`);
    this.name = "SystemError";
    this.code = errnoName(errno);
  }
}

export function errnoName(errno: number): string {
  return errno > 0 ? getSystemErrorName(-errno) : "unknown";
}
