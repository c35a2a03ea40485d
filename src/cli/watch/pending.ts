/** One request as the operator's screen shows it. Everything in here has passed the display's escapes: nothing hostile reaches a terminal. */

import type { Approval } from "../../client/results.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { shownWord } from "../../wire/display.ts";
import { visibleText } from "../../wire/visible.ts";
import { counted } from "../counted.ts";
import { requesterText } from "../requester.ts";

export interface Pending {
  readonly id: string;
  /** Requests with the same binding are the same in every respect; those that are bound to nothing are never the same. */
  readonly group: string;
  /** For the list, where it may be cut; the words are what is read before answering. */
  readonly command: string;
  readonly words: readonly string[];
  readonly unbound: readonly string[];
  readonly warnings: readonly string[];
  readonly cwd: string | null;
  readonly programs: readonly BoundFile[];
  readonly files: readonly BoundFile[];
  readonly env: readonly string[];
  readonly stdin: string | null;
  readonly agent: string;
  readonly session: string;
  readonly requester: string;
  /** What the gateway says about who is behind it: shown as a claim. */
  readonly claims: readonly string[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly mayAlways: boolean;
  readonly stores: { readonly executable: Offer; readonly command: Offer };
}

export interface BoundFile {
  readonly path: string;
  readonly sha256: string;
  /** The bytes that are asked about, where they are text and were kept. */
  readonly text: string | null;
  /** What was allowed the last time, when that was something else. */
  readonly earlier: { readonly text: string; readonly atMs: number } | null;
  /** The same bytes were allowed before. */
  readonly knownSinceMs: number | null;
}

export interface Offer {
  readonly patterns: readonly string[];
  readonly none: string | null;
}

export function pendingOf(approval: Approval, nowMs: number): Pending {
  const { id, plan, display, binding, agentId, sessionKey } = approval;
  const command = approval.command ?? display?.command ?? "";
  const allowed = approval.allowedDecisions ?? ["allow-once", "deny"];
  return {
    id,
    group: binding?.startsWith("sha256:") === true ? binding : id,
    command: plan == null ? visibleText(command) : plan.argv.map(shownWord).join(" "),
    words: plan == null ? [visibleText(command)] : plan.argv.map(shownWord),
    unbound:
      plan == null
        ? ["nothing: this was asked for display only, and whatever runs is not compared with it"]
        : plan.unbound.map(visibleText),
    warnings: (display?.warnings ?? []).filter((warning) => plan?.unbound.includes(warning) !== true).map(visibleText),
    cwd: plan == null || plan.cwd === "" ? null : shownWord(plan.cwd),
    programs:
      plan == null
        ? []
        : [plan.executable, ...plan.nested].filter(({ path }) => path !== "").map((file) => boundFile(file, approval.contents)),
    files: plan == null ? [] : plan.files.map((file) => boundFile(file, approval.contents)),
    env: Object.entries(display?.env ?? {}).map(([name, value]) => `${visibleText(name)}=${shownWord(textOf(value))}`),
    stdin: plan == null || plan.stdin.bytes === 0 ? null : `${counted(plan.stdin.bytes, "byte")}, ${plan.stdin.sha256 ?? "no hash"}`,
    agent: shownWord(agentId ?? "main"),
    session: sessionKey == null || sessionKey === "" ? "" : shownWord(sessionKey),
    requester: askedBy(approval.requester ?? {}),
    claims: Object.entries(approval.context ?? {})
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${visibleText(name)}: ${shownWord(textOf(value))}`),
    createdAtMs: approval.createdAtMs ?? nowMs,
    expiresAtMs: approval.expiresAtMs ?? nowMs,
    mayAlways: allowed.includes("allow-always"),
    stores: { executable: offerOf(approval.grants?.executable), command: offerOf(approval.grants?.command) },
  };
}

function boundFile(
  { path, sha256 }: { readonly path: string; readonly sha256: string },
  contents: JsonObject | null | undefined,
): BoundFile {
  const kept = contents?.[path];
  const of = (name: string): JsonValue | undefined => (isJsonObject(kept) ? kept[name] : undefined);
  const [text, knownSinceMs, earlier] = [of("text"), of("knownSinceMs"), of("earlier")];
  const [was, atMs] = isJsonObject(earlier) ? [earlier["text"], earlier["atMs"]] : [];
  return {
    path: shownWord(path),
    sha256: visibleText(sha256),
    text: typeof text === "string" ? text : null,
    earlier: typeof was === "string" && typeof atMs === "number" ? { text: was, atMs } : null,
    knownSinceMs: typeof knownSinceMs === "number" ? knownSinceMs : null,
  };
}

/** Where it was asked is the gateway's word, as far as it says anything. */
function askedBy(requester: JsonObject): string {
  const places = ["host", "channel"].flatMap((name) => {
    const value = requester[name];
    return value === undefined || value === null || value === "" ? [] : [`${name} ${shownWord(textOf(value))}`];
  });
  return [requesterText(requester) ?? "unknown", ...places].join(", ");
}

function offerOf(offer: NonNullable<Approval["grants"]>["executable"] | undefined): Offer {
  if (offer === undefined) return { patterns: [], none: "this daemon does not say what it would store" };
  return { patterns: offer.entries.map(entryText), none: offer.none == null ? null : visibleText(offer.none) };
}

function entryText({
  pattern,
  argPattern,
  sha256,
}: {
  readonly pattern: string;
  readonly argPattern?: unknown;
  readonly sha256?: unknown;
}): string {
  const limits = [
    ...(typeof argPattern === "string" ? ["with exactly these arguments"] : []),
    ...(typeof sha256 === "string" ? ["while its content stays the same"] : []),
  ];
  return [shownWord(pattern), ...limits].join(", ");
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
