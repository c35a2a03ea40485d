/**
 * OpenClaw's dialect on our socket, protocol section 9: one frame, one answer, and the connection is over.
 *
 *     client                         daemon
 *       │  {"type":"request",…}  ──▶  token → shown to a person → {"type":"decision",…}
 *       │  {"type":"exec",…}     ──▶  ts → hmac → nonce → json → the same road as `system.run` → {"type":"exec-res",…}
 *       │  anything else         ──▶  closed without an answer
 */
import type { DialectHandler } from "./dialect.ts";
import { createExec } from "./openclaw-exec.ts";
import type { OpenclawParts } from "./openclaw-parts.ts";
import { answerRequest } from "./openclaw-request.ts";

export function createOpenclawDialect(parts: OpenclawParts): DialectHandler {
  const answerExec = createExec(parts);
  return async (exchange) => {
    switch (exchange.frame["type"]) {
      case "request":
        return answerRequest(exchange, parts);
      case "exec":
        return answerExec(exchange);
      default:
        return null;
    }
  };
}
