import { callerByToken } from "../auth/caller.ts";
import type { Denial } from "../core/denial.ts";
import { denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { effectiveFor } from "../policy/effective.ts";
import { securityOf } from "../policy/strictness.ts";
import { displayOfText } from "../wire/display.ts";
import { type AskedCommand, DECISIONS, type OpenclawDecision, parseAsked } from "../wire/openclaw.ts";
import { answerTo } from "./ask.ts";
import { type Asker, askerOf } from "./asker.ts";
import type { DialectExchange } from "./dialect.ts";
import type { OpenclawParts } from "./openclaw-parts.ts";
import type { World } from "./world.ts";

/** Written as the binding of an approval that binds nothing; no request ever comes to the same. */
const UNBOUND = "none";
const DISPLAY_ONLY = "display only: whoever asked runs this itself, and nothing here checks what then runs";

/** A person's answer, or `deny`: every other way a question can end is a no in this dialect. `null` when nobody is left to hear it. */
export async function answerRequest(exchange: DialectExchange, parts: OpenclawParts): Promise<JsonObject | null> {
  const { frame, peer, signal } = exchange;
  const id = typeof frame["id"] === "string" ? frame["id"] : "";
  const said = (decision: OpenclawDecision): JsonObject => ({ type: "decision", id, decision });
  const { token } = frame;
  const caller = typeof token === "string" ? callerByToken(parts.credentials(), token) : null;
  // The side that asks is not the side that answers, and this dialect only asks: an operator's token is a wrong one here.
  if (caller?.role !== "gateway") {
    await exchange.delayFailure();
    return said("deny");
  }
  const request = parseAsked(frame["request"]);
  if (!request.ok || !exchange.admitted(caller).ok || parts.world.stopping.aborted) return said("deny");
  const asked = await show(request.value, askerOf(caller, null, peer), parts.world);
  if (!asked.ok) return said("deny");
  const answer = await answerTo(asked.value, signal, parts.world);
  if (signal.aborted) {
    await parts.world.desk.cancel(asked.value.id, "the requester, who left");
    return null;
  }
  return said(decisionOf(answer.ok ? answer.value : null, offered(request.value)));
}

type Shown = Extract<Awaited<ReturnType<World["desk"]["request"]>>, { readonly ok: true }>["value"]["approval"];

/** Puts the text before a person as it was sent. Nothing is looked up or opened for it: it may be meant for another machine. */
async function show(request: AskedCommand, asker: Asker, world: World): Promise<Result<Shown, Denial>> {
  const agent = asker.agentFor(request.agentId ?? null);
  if (!agent.ok) return agent;
  const agentId = agent.value;
  const refused = refusalOf(request, agentId, world);
  if (refused !== null) return fail(refused);
  const display = displayOfText(request.command);
  if (!display.ok) return display;
  const { command, words, warnings } = display.value;
  const sessionKey = request.sessionKey ?? "";
  const none = { entries: [], none: DISPLAY_ONLY };
  const asked = await world.desk.request({
    credential: asker.credential,
    agentId,
    sessionKey,
    requestKey: null,
    binding: UNBOUND,
    command,
    timeoutMs: world.approvalTimeoutMs(),
    hasRoute: world.allowUnattended || world.hub.hasOperatorSurface(),
    keep: (id) =>
      world.keepRecord({
        id,
        agentId,
        parts: null,
        cwd: null,
        plan: planOf(request, agentId, sessionKey),
        display: { command, words, warnings: [DISPLAY_ONLY, ...warnings], env: {} },
        requester: requesterOf(request, asker),
        context: null,
        timeoutMs: 0,
        allowedDecisions: offered(request),
        grants: { executable: none, command: none },
      }),
  });
  return asked.ok ? ok(asked.value.approval) : asked;
}

function refusalOf(request: AskedCommand, agentId: AgentId, world: World): Denial | null {
  const policies = world.policies();
  const tool = policies.judgeExecTool({ agentId, sessionKey: request.sessionKey ?? "", context: {}, args: { command: request.command } });
  if (!tool.ok) return tool.failure;
  const stored = world.document();
  if (!stored.ok) return stored.failure;
  const policy = effectiveFor(stored.value.document, agentId);
  const requested = { security: request.security ?? null, ask: request.ask ?? null };
  const security = securityOf({ policy, settings: policies.execFor(agentId), requested });
  if (security.value !== "deny") return null;
  return denial("policy.security-deny", "every command is denied here; an operator can change `security`", { source: security.source });
}

/** The shape of every plan, and empty where nothing was looked at. */
function planOf(request: AskedCommand, agentId: string, sessionKey: string): JsonObject {
  return {
    argv: ["/bin/sh", "-c", request.command],
    cwd: request.cwd ?? "",
    envHash: "",
    envKeys: [],
    agentId,
    sessionKey,
    executable: { path: request.resolvedPath ?? "", sha256: "" },
    files: [],
    nested: [],
    stdin: { bytes: 0, sha256: null },
    unbound: [DISPLAY_ONLY],
    segments: [],
  };
}

function requesterOf(request: AskedCommand, asker: Asker): JsonObject {
  const { credential, role, peer } = asker;
  return {
    credential,
    role,
    pid: peer.pid,
    uid: peer.uid,
    exe: peer.exe,
    host: request.host ?? null,
    channel: null,
    dialect: "openclaw",
  };
}

function offered(request: AskedCommand): readonly OpenclawDecision[] {
  const { allowedDecisions } = request;
  return allowedDecisions === null || allowedDecisions === undefined
    ? DECISIONS
    : DECISIONS.filter((decision) => decision === "deny" || allowedDecisions.includes(decision));
}

/** A yes for good is told as a yes for once where only that was on offer. */
function decisionOf(answer: Shown | null, offered: readonly OpenclawDecision[]): OpenclawDecision {
  if (answer?.state !== "allowed") return "deny";
  if (offered.includes(answer.decision)) return answer.decision;
  return offered.includes("allow-once") ? "allow-once" : "deny";
}
