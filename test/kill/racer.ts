/**
 * One of several client processes that all want to use the same approvals: reads its task from standard input, says `ready`, waits for `go`,
 * and answers with what became of each call.
 */
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { openSession } from "../support/session.ts";

export interface RacerTask {
  readonly socketPath: string;
  readonly gatewayToken: string;
  /** Parameters of `system.run`, one per call, in the order in which they are made. */
  readonly calls: readonly JsonObject[];
  readonly inFlight: number;
}

export interface RacerReport {
  readonly ran: readonly string[];
  readonly refused: Readonly<Record<string, number>>;
}

function isTask(value: unknown): value is RacerTask {
  return isJsonObject(value) && typeof value["socketPath"] === "string" && Array.isArray(value["calls"]);
}

async function race({ socketPath, gatewayToken, calls, inFlight }: RacerTask, go: Promise<void>): Promise<RacerReport> {
  const session = await openSession({ socketPath, gatewayToken, operatorToken: "" }, "gateway");
  process.stdout.write("ready\n");
  await go;
  const ran: string[] = [];
  const refused: Record<string, number> = {};
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let params = calls[next]; params !== undefined; params = calls[next]) {
      next += 1;
      const answer = await session.call("system.run", params);
      if (answer.ok) ran.push(typeof params["approvalId"] === "string" ? params["approvalId"] : "");
      else refused[answer.code] = (refused[answer.code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  session.close();
  return { ran, refused };
}

let start = (): void => {};
const go = new Promise<void>((settle) => {
  start = settle;
});
const lines = createInterface({ input: process.stdin });
lines.once("line", (line) => {
  const task: unknown = JSON.parse(line);
  if (!isTask(task)) throw new Error("not a task");
  lines.once("line", () => start());
  void race(task, go).then((report) => {
    process.stdout.write(`${JSON.stringify(report)}\n`);
    lines.close();
  });
});
