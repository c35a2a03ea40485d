import type { Approval, Client } from "../client/client.ts";
import type { JsonObject } from "../core/json.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../core/limits.ts";
import { type CommandCall, type Io, UsageError } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { painter } from "./paint.ts";
import { approvalLines, type Screen } from "./render-approval.ts";
import { withClient } from "./session.ts";

export async function run(call: CommandCall): Promise<number> {
  const [id] = call.operands;
  if (id !== undefined && call.has("watch")) throw new UsageError("give either an id or --watch, not both");
  if (id !== undefined) return showOne(call, id);
  return call.has("watch") ? watch(call) : list(call);
}

async function showOne(call: CommandCall, id: string): Promise<number> {
  return withClient(call, "operator", async (client) => {
    const approval = await client.call("exec.approval.get", { id });
    if (call.has("json")) call.io.out(JSON.stringify(approval));
    else show(approval, call.io, client);
    return EXIT.ok;
  });
}

async function list(call: CommandCall): Promise<number> {
  const { io } = call;
  return withClient(call, "operator", async (client) => {
    const approvals = await allPending(client);
    if (call.has("json")) {
      io.out(JSON.stringify({ approvals }));
      return EXIT.ok;
    }
    if (approvals.length === 0) io.out("nothing is waiting for an answer");
    for (const approval of approvals) show(approval, io, client);
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

/**
 * Listening is what makes this terminal a place where questions can be answered: while it runs, requests do not expire as
 * `approval.no-route`. One JSON value a line with `--json`, since there is no end to wait for.
 */
async function watch(call: CommandCall): Promise<number> {
  const { io } = call;
  const say = (event: string, line: string, more: JsonObject): void => io.out(call.has("json") ? JSON.stringify({ event, ...more }) : line);
  return withClient(call, "operator", async (client) => {
    const shown = new Set<string>();
    const present = (approval: Approval): void => {
      if (shown.has(approval.id) || approval.state !== "pending") return;
      shown.add(approval.id);
      if (call.has("json")) io.out(JSON.stringify({ event: "requested", approval }));
      else show(approval, io, client);
    };
    for await (const happening of client.subscribe(["exec.approval.requested", "exec.approval.resolved"], io.signal)) {
      if (happening.kind === "lost") {
        say("lost", `the daemon is away (${happening.error.message}); trying again`, { code: happening.error.code });
      } else if (happening.kind === "connected") {
        // What was asked while nobody listened is asked for; the set keeps what arrives twice from being shown twice.
        const waiting = await withClient(call, "operator", allPending);
        say("listening", `listening; ${waiting.length === 0 ? "nothing is" : `${waiting.length} are`} waiting for an answer`, {
          pending: waiting.length,
        });
        for (const approval of waiting) present(approval);
      } else {
        const { id, state, decision } = happening.params;
        if (typeof id !== "string") continue;
        if (happening.topic === "exec.approval.requested") {
          present(await withClient(call, "operator", (other) => other.call("exec.approval.get", { id })));
        } else {
          const answer = typeof decision === "string" ? decision : typeof state === "string" ? state : "resolved";
          say("resolved", `${id}  ${answer}`, happening.params);
        }
      }
    }
    return EXIT.ok;
  });
}

export function screenOf(io: Io, client: Client): Screen {
  return { paint: painter(io.colour), columns: io.columns(), nowMs: Date.now(), hostId: client.welcome.hostId };
}

function show(approval: Approval, io: Io, client: Client): void {
  const screen = screenOf(io, client);
  const { paint } = screen;
  for (const line of approvalLines(approval, screen)) io.out(line);
  if (approval.state === "pending") {
    const short = approval.id.slice(0, APPROVAL_PREFIX_CHARS_MIN);
    const answers = [`countersign approve ${short}`, `countersign deny ${short}`];
    const fits = answers.join("").length + 5 <= io.columns();
    for (const line of fits ? [answers.join("   ")] : answers) io.out(`  ${paint.cyan(line)}`);
  }
  io.out("");
}
