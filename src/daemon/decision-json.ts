/** A decision with everything that led to it: which layer answered, by which rule of which file, and what covers each part or does not. */
import type { Refusal, Segment } from "../analysis/command-plan.ts";
import type { JsonObject } from "../core/json.ts";
import { suggestedEntry } from "../policy/allow-always.ts";
import type { NewEntry } from "../policy/allow-entry.ts";
import { findingsOf, type MatchedBy, type SegmentFinding } from "../policy/satisfy.ts";
import type { Prepared } from "./prepare.ts";

export function decisionJson({ judgement, plan, decideInput }: Prepared, allowedDecisions: readonly string[]): JsonObject {
  const code = judgement.outcome === "allow" ? null : judgement.code;
  const matched = judgement.outcome === "deny" ? [] : judgement.matchedBy;
  return {
    outcome: judgement.outcome,
    code,
    reason: judgement.reason,
    layer: judgement.layer,
    source: judgement.source,
    rule: judgement.rule,
    // Both are always there, so that a client can read them before it has looked at the outcome.
    matchedBy: matched[0] === undefined ? null : matchJson(matched[0]),
    allowedDecisions: judgement.outcome === "ask" ? allowedDecisions : [],
    ...(matched[0] === undefined ? {} : { matches: matched.map(matchJson) }),
    ...(plan.analysis.ok ? {} : { refusal: refusalJson(plan.analysis.refusal) }),
    findings: findingsOf(decideInput).map((finding) => findingJson(finding, decideInput)),
  };
}

function matchJson({ kind, pattern, source }: MatchedBy): JsonObject {
  return { kind, pattern, source };
}

function refusalJson({ weight, reason, message, column, excerpt, hint }: Refusal): JsonObject {
  return { weight, reason, message, column, excerpt, hint };
}

function findingJson({ segment, by, why }: SegmentFinding, input: Prepared["decideInput"]): JsonObject {
  const suggested = by === null ? suggestedEntry(segment, input.machine, (path) => input.hashOf(path)) : null;
  return {
    ...whatItIs(segment),
    covered: by !== null,
    by: by === null ? null : matchJson(by),
    why,
    ...(suggested === null ? {} : { suggested: entryJson(suggested) }),
  };
}

function whatItIs({ written, argv, operator, cwd, program, wrappers, script, carries, inlineEval }: Segment): JsonObject {
  return {
    written,
    argv,
    operator,
    cwd,
    executable: program?.realPath ?? null,
    link: program === null || program.linkPath === program.realPath ? null : program.linkPath,
    wrappers,
    script: script?.path ?? null,
    carries,
    inlineEval,
  };
}

function entryJson({ pattern, argPattern, sha256 }: NewEntry): JsonObject {
  return { pattern, ...(argPattern === undefined ? {} : { argPattern }), ...(sha256 === undefined ? {} : { sha256 }) };
}
