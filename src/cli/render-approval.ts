/** One approval as the operator must see it before answering: policy page, section 11. What the answer would not cover comes first. */

import type { Approval, Plan } from "../client/results.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { shownWord } from "../wire/display.ts";
import { shownText } from "../wire/shown-text.ts";
import { counted } from "./counted.ts";
import { agoText, leftText, momentText, spanText } from "./moments.ts";
import type { Paint } from "./paint.ts";
import { hashLines, labelled, labelledPath, labelledSentence, wordLines } from "./render-command.ts";
import { requesterText } from "./requester.ts";
import { wrapped } from "./width.ts";

export interface Screen {
  readonly paint: Paint;
  readonly columns: number;
  readonly nowMs: number;
  /** Of the daemon that was asked: where the command would run, unless the request says otherwise. */
  readonly hostId: string;
}

export function approvalLines(approval: Approval, screen: Screen): readonly string[] {
  const { paint, columns } = screen;
  const { plan, display } = approval;
  return [
    ...wrapped(headline(approval, screen), columns, "  "),
    ...uncovered(plan ?? null).flatMap((text) => labelledSentence("NOT COVERED", text, columns, loud(paint))),
    ...(display?.warnings ?? []).flatMap((text) => labelledSentence("WARNING", text, columns, loud(paint))),
    ...wordLines("command", display?.words ?? [approval.command ?? ""], columns, paint),
    ...(plan === null || plan === undefined ? [] : planLines(plan, display?.env ?? null, screen)),
    ...whoLines(approval, screen),
    ...alwaysLines(approval, screen),
  ];
}

function headline({ id, state, createdAtMs, expiresAtMs }: Approval, { paint, nowMs }: Screen): string {
  const asked = typeof createdAtMs === "number" ? `asked ${agoText(createdAtMs, nowMs)}` : "asked";
  const left = state === "pending" && typeof expiresAtMs === "number" ? `, ${leftText(expiresAtMs, nowMs)}` : "";
  return `${paint.bold(paint.yellow(id))}  ${state === "pending" ? "" : `${state}, `}${asked}${left}`;
}

function uncovered(plan: Plan | null): readonly string[] {
  return plan?.unbound ?? ["this request shows a text and is bound to nothing: whoever asked decides what runs"];
}

/** The labels that must not be passed over are not dimmed. */
function loud(paint: Paint): Paint {
  return { ...paint, dim: (text) => paint.bold(paint.red(text)) };
}

function planLines(plan: Plan, env: JsonObject | null, { paint, columns }: Screen): readonly string[] {
  const hashed = (label: string, path: string, sha256: string): readonly string[] => [
    ...labelledPath(label, path, columns, paint),
    ...hashLines(sha256, columns, paint),
  ];
  return [
    ...labelledPath("in", plan.cwd, columns, paint),
    ...hashed("program", plan.executable.path, plan.executable.sha256),
    ...plan.files.flatMap(({ argvIndex, path, sha256 }) => hashed(argvIndex < 0 ? "reads" : `file, word ${argvIndex + 1}`, path, sha256)),
    ...plan.nested.flatMap(({ path, sha256 }) => hashed("starts", path, sha256)),
    ...(env === null ? plan.envKeys.flatMap((name) => labelled("variable", name, columns, paint)) : envLines(env, columns, paint)),
    ...(plan.stdin.sha256 === null || plan.stdin.sha256 === undefined
      ? []
      : [...labelled("input", counted(plan.stdin.bytes, "byte"), columns, paint), ...hashLines(plan.stdin.sha256, columns, paint)]),
  ];
}

function envLines(env: JsonObject, columns: number, paint: Paint): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    labelled("variable", `${shownWord(name)}=${typeof value === "string" ? shownWord(value) : ""}`, columns, paint),
  );
}

function whoLines(approval: Approval, { paint, columns, hostId }: Screen): readonly string[] {
  const { agentId, sessionKey, host, timeoutMs, context } = approval;
  const requester = approval.requester ?? {};
  const fact = (label: string, text: string | null): readonly string[] =>
    text === null ? [] : labelledSentence(label, text, columns, paint);
  const where = words(host) ?? words(requester["host"]) ?? (hostId === "" ? "this one" : `this one, ${shownText(hostId)}`);
  return [
    ...fact("agent", words(agentId)),
    ...fact("session", words(sessionKey) ?? "none"),
    ...fact("asked by", requesterText(requester)),
    ...fact("host", where),
    ...fact("channel", words(requester["channel"])),
    ...(isJsonObject(context) && Object.keys(context).length > 0 ? fact("it claims", claims(context)) : []),
    ...(typeof timeoutMs === "number" ? fact("may run for", spanText(timeoutMs)) : []),
    ...decisionLines(approval).flatMap((text) => fact("decided", text)),
  ];
}

function words(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? shownText(value, Number.MAX_SAFE_INTEGER) : null;
}

/** The gateway's word for it, and nobody else's: shown as such. */
function claims(context: JsonObject): string {
  const parts = Object.entries(context).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return shownText(parts.join(", "), Number.MAX_SAFE_INTEGER);
}

function decisionLines({ decision, by, decidedAtMs, reason, runId, consumedAtMs }: Approval): readonly string[] {
  if (typeof decision !== "string") return [];
  const when = typeof decidedAtMs === "number" ? ` at ${momentText(decidedAtMs)}` : "";
  const why = words(reason);
  return [
    `${decision} by ${words(by) ?? "somebody"}${when}${why === null ? "" : `: ${why}`}`,
    ...(typeof consumedAtMs === "number" ? [`used at ${momentText(consumedAtMs)} by run ${runId ?? "unknown"}`] : []),
  ];
}

function alwaysLines({ grants, state, allowedDecisions }: Approval, { paint, columns }: Screen): readonly string[] {
  if (state !== "pending" || grants === null || grants === undefined) return [];
  const { entries, none } = grants.executable;
  const nothing =
    allowedDecisions?.includes("allow-always") === false ? "is not offered" : `would store nothing: ${none ?? "there is no pattern"}`;
  const text = entries.length === 0 ? nothing : `would store ${entries.map(({ pattern }) => shownWord(pattern)).join(", ")}`;
  return labelledSentence("--always", text, columns, paint);
}
