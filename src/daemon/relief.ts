/** What all connections hold together has a bound in both directions. When it is reached one connection goes, so that the others may stay. */
import { denial } from "../core/denial.ts";
import { INCOMING_BYTES_TOTAL_MAX, INCOMING_LONG_BYTES, OUTGOING_BYTES_TOTAL_MAX } from "../core/limits.ts";
import type { Connection } from "./connection.ts";

/** Of answers that nobody reads: the connection with the most goes. */
export function relieveOutput(all: readonly Connection[]): void {
  const backlog = all.reduce((sum, connection) => sum + connection.backlogBytes(), 0);
  if (backlog <= OUTGOING_BYTES_TOTAL_MAX) return;
  all.reduce((most, connection) => (connection.backlogBytes() > most.backlogBytes() ? connection : most)).close();
}

export type Sender = Pick<Connection, "caller" | "unfinished" | "dismiss">;

/** Of lines that nobody finishes: the connection that has held the most for the longest goes, and an operator's only when no other holds much. */
export function relieveInput(all: readonly Sender[]): void {
  const unfinished = all.reduce((sum, connection) => sum + connection.unfinished().bytes, 0);
  if (unfinished <= INCOMING_BYTES_TOTAL_MAX) return;
  const long = all.filter((connection) => connection.unfinished().bytes >= INCOMING_LONG_BYTES);
  const others = long.filter((connection) => connection.caller()?.role !== "operator");
  const [first] = (others.length > 0 ? others : long).toSorted((one, other) => burdenOf(other) - burdenOf(one));
  const limit = INCOMING_BYTES_TOTAL_MAX;
  first?.dismiss(denial("overloaded", `unfinished lines hold ${limit} bytes; connect again and send each line in one go`, { limit }));
}

/** Bytes alone would fall on whoever sends a long line honestly while others sit on shorter ones. An honest line is not held for long. */
function burdenOf(connection: Sender): number {
  const { bytes, longForMs } = connection.unfinished();
  return bytes * longForMs;
}
