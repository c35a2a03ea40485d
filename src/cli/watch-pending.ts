/**
 * `pending --watch`. Listening is what makes a terminal a place where questions can be answered: while it runs, requests do not expire as
 * `approval.no-route`. With `--json` it prints one value a line, since there is no end to wait for.
 */
import { isCallError } from "../client/call-error.ts";
import type { Approval, Client, Happening } from "../client/client.ts";
import type { JsonObject } from "../core/json.ts";
import type { CommandCall, Io } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { openJsonLines } from "./json-lines.ts";
import { withClient } from "./session.ts";

export async function watchPending(call: CommandCall, show: (approval: Approval, io: Io, client: Client) => void): Promise<number> {
  const { io } = call;
  const json = call.has("json") ? await openJsonLines(io.stdout) : null;
  const say = (event: string, line: string, more: JsonObject): void => (json === null ? io.out(line) : json.write({ event, ...more }));
  return withClient(call, "operator", async (client) => {
    // What is on the screen already: after a reconnect, and when an event and the list cross, the same request arrives twice.
    const shown = new Set<string>();
    let away = false;
    const present = (approval: Approval): void => {
      if (shown.has(approval.id) || approval.state !== "pending") return;
      shown.add(approval.id);
      if (json === null) show(approval, io, client);
      else json.write({ event: "requested", approval: { ...approval } });
    };
    for await (const happening of client.subscribe(["exec.approval.requested", "exec.approval.resolved"], io.signal)) {
      if (happening.kind === "lost") {
        if (!away) say("lost", `the daemon is away (${happening.error.message}); trying again`, { code: happening.error.code });
        away = true;
      } else if (happening.kind === "connected") {
        away = false;
        // What was asked while nobody listened has to be asked for.
        const waiting = (await unlessAway(withClient(call, "operator", allPending))) ?? [];
        say("listening", `listening; ${howMany(waiting.length)} waiting for an answer`, { pending: waiting.length });
        for (const approval of waiting) present(approval);
      } else if (happening.topic === "exec.approval.requested") {
        const approval = await unlessAway(
          withClient(call, "operator", (other) => other.call("exec.approval.get", { id: idOf(happening) })),
        );
        if (approval !== null) present(approval);
      } else {
        shown.delete(idOf(happening));
        say("resolved", `${idOf(happening)}  ${answerOf(happening.params)}`, happening.params);
      }
    }
    await json?.close();
    return EXIT.ok;
  });
}

export async function allPending(client: Client): Promise<readonly Approval[]> {
  const found: Approval[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client.call("exec.approval.list", { state: "pending", ...(typeof cursor === "string" ? { cursor } : {}) });
    found.push(...page.approvals);
    cursor = page.next;
  } while (typeof cursor === "string");
  return found;
}

/** The daemon may go between an event and the question about it; the subscription says so next, and asks again when it is back. */
async function unlessAway<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    if (!isCallError(error)) throw error;
    return null;
  }
}

function idOf({ params }: Extract<Happening, { readonly kind: "event" }>): string {
  return typeof params["id"] === "string" ? params["id"] : "";
}

function answerOf({ decision, state }: JsonObject): string {
  if (typeof decision === "string") return decision;
  return typeof state === "string" ? state : "resolved";
}

function howMany(count: number): string {
  return count === 0 ? "nothing is" : count === 1 ? "1 is" : `${count} are`;
}
