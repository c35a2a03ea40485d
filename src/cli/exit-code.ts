/** The exit codes of protocol section 11, for everything that can be thrown at a command. */
import { constants } from "node:os";
import { type ClientCode, isCallError } from "../client/call-error.ts";
import { CODES, isCode } from "../core/codes.ts";
import { type Io, UsageError } from "./command.ts";

export const EXIT = {
  ok: 0,
  general: 1,
  denied: 2,
  expired: 3,
  conflict: 4,
  mismatch: 5,
  usage: 64,
  unreachable: 69,
  busy: 75,
  permission: 77,
  configuration: 78,
} as const;

const CLIENT_EXITS: Readonly<Record<ClientCode, number>> = {
  "client.unreachable": EXIT.unreachable,
  "client.closed": EXIT.unreachable,
  "client.no-access": EXIT.permission,
  "client.untrusted-server": EXIT.permission,
  "client.no-credential": EXIT.permission,
  "client.unsafe-credential": EXIT.permission,
  "client.too-many-calls": EXIT.busy,
  "client.bad-answer": EXIT.general,
  "client.aborted": 130,
};

/** A newer daemon may know codes that this client does not; their family still says what kind of no it was. */
const FAMILY_EXITS: Readonly<Record<string, number>> = {
  auth: EXIT.permission,
  policy: EXIT.denied,
  approval: EXIT.denied,
  binding: EXIT.mismatch,
  env: EXIT.denied,
  config: EXIT.configuration,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  return isCallError(error) ? exitCodeOfCode(error.code) : EXIT.general;
}

export function exitCodeOfCode(code: string): number {
  if (isCode(code)) return CODES[code].exit;
  if (isClientCode(code)) return CLIENT_EXITS[code];
  return FAMILY_EXITS[code.split(".")[0] ?? ""] ?? EXIT.general;
}

/** As a shell says it of a program that died of the signal; `null` when nobody interrupted us. */
export function interruptionExit(io: Io): number | null {
  return io.signal.aborted ? exitCodeOfSignal(String(io.signal.reason)) : null;
}

export function exitCodeOfSignal(name: string): number {
  return 128 + (new Map<string, number>(Object.entries(constants.signals)).get(name) ?? 0);
}

function isClientCode(code: string): code is ClientCode {
  return Object.hasOwn(CLIENT_EXITS, code);
}
