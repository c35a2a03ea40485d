/** The log for people who look after the daemon: one JSON line each on standard error, which systemd and launchd both keep; on a terminal, words. */

import { createRequire } from "node:module";
import type { Logger, pino } from "pino";
import type { Denial } from "../core/denial.ts";
import type { JsonObject } from "../core/json.ts";
import { visibleText } from "../wire/visible.ts";

export interface Log {
  info(what: string, details?: JsonObject): void;
  warn(what: string, details?: JsonObject): void;
  error(what: string, details?: JsonObject): void;
}

/**
 * Written synchronously, so that the last words before an exit are not lost. What reaches it is chosen by the caller, member by member:
 * never a frame, a token, an environment value or output.
 */
export function createLog(level: string): Log {
  if (process.stderr.isTTY) return terminalLog(level);
  let logger: Logger | null = null;
  // Loaded at the first word: a daemon listens before it has anything to say.
  const write = (weight: "info" | "warn" | "error", what: string, details: JsonObject = {}): void => {
    logger ??= openLogger(level);
    logger[weight](details, what);
  };
  return {
    info: (what, details) => write("info", what, details),
    warn: (what, details) => write("warn", what, details),
    error: (what, details) => write("error", what, details),
  };
}

const WEIGHTS: readonly string[] = ["debug", "info", "warn", "error"];

/** Somebody started the daemon by hand and looks at it. */
function terminalLog(level: string): Log {
  const lowest = WEIGHTS.includes(level) ? WEIGHTS.indexOf(level) : level === "trace" ? 0 : WEIGHTS.length;
  const write = (weight: string, what: string, details: JsonObject = {}): void => {
    if (WEIGHTS.indexOf(weight) < lowest) return;
    const facts = Object.entries(details).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
    const time = new Date().toTimeString().slice(0, 8);
    process.stderr.write(`${time}  ${weight === "info" ? "" : `${weight}: `}${visibleText([what, ...facts].join("  "))}\n`);
  };
  return {
    info: (what, details) => write("info", what, details),
    warn: (what, details) => write("warn", what, details),
    error: (what, details) => write("error", what, details),
  };
}

function openLogger(level: string): Logger {
  const loaded: unknown = createRequire(import.meta.url)("pino");
  if (!isPino(loaded)) throw new Error("pino is not what it was");
  const options = { level, base: { pid: process.pid }, redact: { paths: ["token", "*.token", "env", "*.env"], remove: true } };
  return loaded(options, loaded.destination({ dest: 2, sync: true }));
}

function isPino(value: unknown): value is typeof pino {
  return typeof value === "function" && "destination" in value;
}

export function denialDetails({ code, message }: Denial): JsonObject {
  return { code, reason: message };
}
