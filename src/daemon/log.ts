/** The log for people who look after the daemon: one JSON line each on standard error, which systemd and launchd both keep. */
import { pino } from "pino";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";

export interface Log {
  info(what: string, details?: JsonObject): void;
  warn(what: string, details?: JsonObject): void;
  error(what: string, details?: JsonObject): void;
}

/**
 * Written synchronously, so that the last words before an exit are not lost. What reaches it is chosen here by the caller, member by member:
 * never a frame, a token, an environment value or output.
 */
export function createLog(level: string): Log {
  const logger = pino(
    { level, base: { pid: process.pid }, redact: { paths: ["token", "*.token", "env", "*.env"], remove: true } },
    pino.destination({ dest: 2, sync: true }),
  );
  return {
    info: (what, details = {}) => logger.info(details, what),
    warn: (what, details = {}) => logger.warn(details, what),
    error: (what, details = {}) => logger.error(details, what),
  };
}

export function denialDetails({ code, message }: Denial): JsonObject {
  return { code, reason: message };
}
