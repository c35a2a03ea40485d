/** What a scene may use, and how it says that things went as claimed. A scene that did not behave throws; the demo then fails. */
import { isCallError } from "../../client/call-error.ts";
import type { Client, RunResult } from "../../client/client.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import type { Stage } from "./stage.ts";

export interface Players {
  readonly stage: Stage;
  readonly daemon: DaemonProcess;
  /** The one who asks. */
  readonly agent: Client;
  /** The one who answers. */
  readonly operator: Client;
}

/** What happened, for the screen and for JSON. With a code it was refused, and `field` is what the refusal names. */
export interface Shown {
  readonly says: string;
  readonly code?: string;
  readonly field?: string;
  readonly approved?: Side;
  readonly found?: Side;
  /** What a person would have seen; not in JSON. */
  readonly screen?: readonly string[];
}

export interface Side {
  readonly what: string;
  readonly sha256?: string;
}

export interface Scene {
  readonly title: string;
  play(players: Players): Promise<Shown>;
}

export class NotAsClaimed extends Error {
  override readonly name = "NotAsClaimed";
}

export function claim(holds: boolean, what: string): void {
  if (!holds) throw new NotAsClaimed(what);
}

/** Asks, and has the operator allow it once; gives back the approval's id. */
export async function approvedOnce({ agent, operator }: Players, command: JsonObject): Promise<string> {
  const asked = await agent.call("exec.approval.request", { ...command, twoPhase: true });
  claim(asked.status === "accepted" && asked.id !== undefined, `the request was not accepted: ${JSON.stringify(asked)}`);
  const id = asked.id ?? "";
  await operator.call("exec.approval.resolve", { id, decision: "allow-once" });
  return id;
}

export function runWith(client: Client, command: JsonObject, approvalId: string): Promise<RunResult> {
  return client.call("system.run", { ...command, approvalId });
}

/** The refusal with this code, and what it names; anything else, a success above all, is not as claimed. */
export async function refusal(attempt: Promise<unknown>, code: string): Promise<{ readonly message: string; readonly data: JsonObject }> {
  try {
    await attempt;
  } catch (error) {
    if (!isCallError(error)) throw error;
    claim(error.code === code, `expected ${code} and got ${error.code}: ${error.message}`);
    return error;
  }
  throw new NotAsClaimed(`expected ${code}, but it was not refused`);
}

/** The first difference of a binding, which gives the refusal its code. */
export function differing(code: string, data: JsonObject): Shown {
  const { field, approved, found } = data;
  if (typeof field !== "string") throw new NotAsClaimed(`${code} names no field`);
  return { says: "", code, field, approved: sideOf(approved), found: sideOf(found) };
}

function sideOf(value: JsonValue | undefined): Side {
  if (typeof value === "string") return { what: value };
  if (!isJsonObject(value) || typeof value["path"] !== "string") return { what: JSON.stringify(value ?? null) };
  return { what: value["path"], ...(typeof value["sha256"] === "string" ? { sha256: value["sha256"] } : {}) };
}
