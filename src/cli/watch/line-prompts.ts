/** `watch` without a terminal: questions as text, answers as lines. The same rules hold: an empty line allows nothing, and haste is ignored. */
import { createInterface } from "node:readline";
import type { Approval } from "../../client/results.ts";
import { PROMPT_GUARD_MS } from "../../core/limits.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { approvalLines } from "../render-approval.ts";
import { tell } from "../tell.ts";
import { parseBounds } from "./bounds.ts";
import type { Feed } from "./feed.ts";
import { pendingOf } from "./pending.ts";
import type { Answer } from "./state.ts";

interface Open {
  readonly number: number;
  readonly approval: Approval;
  readonly shownAtMs: number;
}

const USAGE =
  "answers: o N, d N reason, a N executable|command, t N 30m|3x [executable|command], ? N to see it again, l to list, q to quit";

export async function promptByLine(call: CommandCall, feed: Feed): Promise<number> {
  const { io } = call;
  const open = new Map<string, Open>();
  /** Answered from here: the event may come before the answer's own answer, and says less. */
  const answering = new Set<string>();
  const leaving = new AbortController();
  let lastNumber = 0;

  const show = ({ number, approval }: Open): void => {
    io.out(`[${number}]`);
    for (const line of approvalLines(approval, { paint: painter(io.colour), columns: io.columns(), nowMs: Date.now(), hostId: "" }))
      io.out(line);
    io.out("");
  };
  const arrived = (approval: Approval): void => {
    if (open.has(approval.id)) return;
    lastNumber += 1;
    const one = { number: lastNumber, approval, shownAtMs: Date.now() };
    open.set(approval.id, one);
    if (call.has("bell")) io.out("\u0007");
    show(one);
  };
  const settled = (id: string, how: string): void => {
    const one = open.get(id);
    if (one === undefined) return;
    open.delete(id);
    io.out(`[${one.number}] ${how}`);
  };
  const answer = async (line: string): Promise<void> => {
    const parsed = parseLine(line, [...open.values()], Date.now());
    switch (parsed.kind) {
      case "say":
        return tell(io, parsed.text);
      case "quit":
        return leaving.abort();
      case "list":
        for (const one of open.values()) io.out(`[${one.number}] ${pendingOf(one.approval, Date.now()).command}`);
        return tell(io, open.size === 0 ? "nothing is waiting" : USAGE);
      case "show":
        return show(parsed.one);
      case "answer":
        answering.add(parsed.one.approval.id);
        await feed.resolve([parsed.one.approval.id], parsed.answer, (id, how, failure) => {
          answering.delete(id);
          if (failure === null) settled(id, how);
          else io.out(failure);
        });
    }
  };

  const lines = createInterface({ input: io.stdin, terminal: false });
  lines.on("line", (line) => void answer(line.trim()).catch(() => leaving.abort()));
  // Nobody is there any more who could answer, so this must stop counting as somebody who can.
  lines.on("close", () => leaving.abort());
  tell(io, USAGE);
  try {
    await feed.follow(
      {
        synced: (list) => {
          const waiting = new Set(list.map(({ id }) => id));
          for (const id of open.keys()) if (!waiting.has(id)) settled(id, "no longer open");
          for (const one of list) arrived(one);
        },
        arrived,
        settled: (id, how) => {
          if (!answering.has(id)) settled(id, how);
        },
        lost: (reason) => io.out(`the daemon is away: ${reason}; trying again`),
      },
      AbortSignal.any([io.signal, leaving.signal]),
    );
  } finally {
    lines.close();
  }
  return EXIT.ok;
}

type Parsed =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "quit" }
  | { readonly kind: "list" }
  | { readonly kind: "show"; readonly one: Open }
  | { readonly kind: "answer"; readonly one: Open; readonly answer: Answer };

export function parseLine(line: string, open: readonly Open[], nowMs: number): Parsed {
  const [verb = "", number = "", ...rest] = line.split(/\s+/);
  if (verb === "q") return { kind: "quit" };
  if (verb === "l") return { kind: "list" };
  const one = open.find((candidate) => String(candidate.number) === number);
  if (!["o", "d", "a", "t", "?"].includes(verb)) return { kind: "say", text: USAGE };
  if (one === undefined) return { kind: "say", text: `there is no open request [${number}]; l lists them` };
  if (verb === "?") return { kind: "show", one };
  if (nowMs - one.shownAtMs < PROMPT_GUARD_MS) return { kind: "say", text: `[${number}] has only just appeared; read it, then answer` };
  const answer = answerOf(verb, rest, one.approval);
  return typeof answer === "string" ? { kind: "say", text: answer } : { kind: "answer", one, answer };
}

function answerOf(verb: string, rest: readonly string[], approval: Approval): Answer | string {
  if (verb === "o") return rest.length > 0 ? "o takes a number and nothing else" : { decision: "allow-once" };
  if (verb === "d") return { decision: "deny", reason: rest.join(" ") };
  if (approval.allowedDecisions?.includes("allow-always") !== true)
    return "not everything it runs is covered; it can be allowed once, not for good";
  const last = rest.at(-1);
  const scope = last === "command" || last === "executable" ? last : null;
  if (verb === "a")
    return scope === null || rest.length > 1
      ? "say which: a N executable, or a N command"
      : { decision: "allow-always", scope, bounds: {} };
  const bounds = parseBounds((scope === null ? rest : rest.slice(0, -1)).join(" "));
  return typeof bounds === "string" ? bounds : { decision: "allow-always", scope: scope ?? "executable", bounds };
}
