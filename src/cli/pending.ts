import type { Approval, Client } from "../client/client.ts";
import { APPROVAL_PREFIX_CHARS_MIN } from "../core/limits.ts";
import { type CommandCall, type Io, UsageError } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { painter } from "./paint.ts";
import { approvalLines, type Screen } from "./render-approval.ts";
import { withClient } from "./session.ts";
import { allPending, watchPending } from "./watch-pending.ts";

export async function run(call: CommandCall): Promise<number> {
  const [id] = call.operands;
  if (id !== undefined && call.has("watch")) throw new UsageError("give either an id or --watch, not both");
  if (id !== undefined) return showOne(call, id);
  return call.has("watch") ? watchPending(call, show) : list(call);
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
