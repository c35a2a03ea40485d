/** `countersign grants list`: what runs without asking, until when, how often still, and when it last did. */

import { shownWord } from "../../wire/display.ts";
import { visibleText } from "../../wire/visible.ts";
import type { CommandCall, Io } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { leftText, roughlyAgo } from "../moments.ts";
import { painter } from "../paint.ts";
import { withClient } from "../session.ts";
import { tableLines } from "../table.ts";
import { tell } from "../tell.ts";
import { allGrants, type Grant, shortId } from "./grant.ts";

export async function run(call: CommandCall): Promise<number> {
  const grants = await withClient(call, "operator", (client) => allGrants(client, call.text("agent")));
  if (call.has("json")) call.io.out(JSON.stringify({ grants }));
  else if (grants.length === 0)
    tell(call.io, "nothing is listed to run without being asked; to list a program: countersign allowlist add PATTERN");
  else for (const line of table(grants, call.io)) call.io.out(line);
  return EXIT.ok;
}

function table(grants: readonly Grant[], io: Io): readonly string[] {
  const paint = painter(io.colour);
  const nowMs = Date.now();
  // The pattern comes last, where nothing is cut: a grant that cannot be read cannot be judged.
  const rows = grants.map((grant) => [
    shortId(grant),
    visibleText(grant.agentId),
    boundsText(grant, nowMs),
    lastUseText(grant, nowMs),
    whatText(grant),
  ]);
  return tableLines(["ID", "AGENT", "HOLDS", "LAST USED", "WHAT"], rows, paint, io.columns());
}

export function boundsText({ expiresAt, usesLeft }: Grant, nowMs: number): string {
  const parts = [
    ...(typeof expiresAt === "number" ? [leftText(expiresAt, nowMs)] : []),
    ...(typeof usesLeft === "number" ? [usesLeft === 0 ? "used up" : `${usesLeft} more ${usesLeft === 1 ? "use" : "uses"}`] : []),
  ];
  return parts.length === 0 ? "for good" : parts.join(", ");
}

function lastUseText({ lastUsedAt }: Grant, nowMs: number): string {
  return typeof lastUsedAt === "number" ? roughlyAgo(lastUsedAt, nowMs) : "never";
}

function whatText(grant: Grant): string {
  const limits = [
    ...(typeof grant.argPattern === "string"
      ? [grant.argPattern.startsWith("sha256:") ? "one command" : `arguments ${shownWord(grant.argPattern)}`]
      : []),
    ...(typeof grant.sha256 === "string" ? ["while unchanged"] : []),
  ];
  return limits.length === 0 ? shownWord(grant.pattern) : `${shownWord(grant.pattern)}  (${limits.join(", ")})`;
}
