import type { Step } from "../analysis/step.ts";
import type { Code } from "../core/codes.ts";
import type { Sourced } from "./effective.ts";
import type { AskFallback, Security } from "./exec-settings.ts";
import { type MatchedBy, type Satisfaction, type SatisfyInput, satisfy } from "./satisfy.ts";
import { askFallbackOf, askOf, type Requested, securityOf, type Voices } from "./strictness.ts";

export interface DecideInput extends SatisfyInput {
  readonly requested: Requested;
  /** Names of environment overrides that are neither free nor forbidden: each counts as a miss. */
  readonly missedOverrides: readonly string[];
  /** Layer 4, already authorised: `ask` asks always, `full` skips the approval gate and no other. */
  readonly elevated?: "on" | "ask" | "full" | null;
}

export type Judgement = Allow | AskPerson | Deny;

/** `allow` and `ask` and `deny` all say which layer answered, by which rule, and where that rule was read. */
interface Answer {
  readonly reason: string;
  readonly layer: "exec-security" | "exec-approval" | "elevated";
  readonly source: string;
  readonly rule: string;
}

export interface AskPerson extends Answer {
  readonly outcome: "ask";
  readonly code: "approval.required";
  readonly matchedBy: readonly MatchedBy[];
}

export interface Deny extends Answer {
  readonly outcome: "deny";
  readonly code: Code;
  /** A person's approval lifts a miss under `ask: off`, and nothing else. */
  readonly liftedByApproval: boolean;
}

export type { Allow };

/** Leave to run without asking anyone. The class stays in this module, so that only decide() and decideFallback() can say yes. */
class Allow implements Answer {
  readonly #minted = true;
  readonly outcome = "allow";
  readonly decidedBy: "allowlist" | "safe-bin" | "skill" | "full" | "ask-fallback";
  readonly reason: string;
  readonly layer: Answer["layer"];
  readonly source: string;
  readonly rule: string;
  readonly matchedBy: readonly MatchedBy[];
  readonly step: Step;

  constructor(decidedBy: Allow["decidedBy"], answer: Answer, matchedBy: readonly MatchedBy[], step: Step) {
    this.decidedBy = decidedBy;
    this.reason = answer.reason;
    this.layer = answer.layer;
    this.source = answer.source;
    this.rule = answer.rule;
    this.matchedBy = matchedBy;
    this.step = step;
    Object.freeze(this);
  }

  static minted(value: object): value is Allow {
    return #minted in value;
  }
}

export function isAllow(value: object): value is Allow {
  return Allow.minted(value);
}

/** The matrix of exec security and ask. The first no ends it; a yes is said only where every part of the command is accounted for. */
export function decide(input: DecideInput): Judgement {
  const judgement = decideByPolicy(input);
  if (judgement.outcome !== "ask" || input.elevated !== "full" || strictInlineEval(input) !== null) return judgement;
  const reason = "the sender's elevated mode skips the approval";
  const answer: Answer = { reason, layer: "elevated", source: "context.elevated", rule: "elevated full" };
  return new Allow("full", answer, [fullMatch("context.elevated")], input.plan.asRequested);
}

function decideByPolicy(input: DecideInput): Judgement {
  const voices = voicesOf(input);
  const security = securityOf(voices);
  if (security.value === "deny") return deny("policy.security-deny", "every command is denied here", bySecurity(security));
  const objection = unboundObjection(input) ?? (security.value === "allowlist" ? outrightObjection(input, security) : null);
  if (objection !== null) return objection;
  const satisfied = satisfiedBy(input);
  const ask = askOf(voices);
  const asking = { layer: "exec-approval", source: ask.source, rule: `ask ${ask.value}` } as const;
  if (ask.value === "always") return askPerson("every command asks here", asking, satisfied);
  if (input.elevated === "ask") {
    return askPerson("elevated commands ask", { layer: "elevated", source: "context.elevated", rule: "elevated ask" }, satisfied);
  }
  const inline = strictInlineEval(input);
  // Under `allowlist` a text that nobody could read is a miss, which `ask` has its own word on.
  if (inline !== null && (input.plan.analysis.ok || security.value === "full")) {
    const rule = { layer: "exec-approval", source: "tools.exec.strictInlineEval", rule: "strictInlineEval" } as const;
    return askPerson(`${inline} needs an explicit approval`, rule, satisfied);
  }
  if (security.value === "full") {
    const answer: Answer = { reason: "everything is allowed here", ...bySecurity(security) };
    return new Allow("full", answer, [fullMatch(security.source)], input.plan.asRequested);
  }
  if (satisfied.ok) return listed(input, satisfied, security);
  return ask.value === "off" ? missed(input, satisfied.reason, security) : askPerson(satisfied.reason, asking, satisfied);
}

/** What silence means: never more than the effective security allows, and never an approval. */
export function decideFallback(input: DecideInput): Judgement {
  const voices = voicesOf(input);
  const security = securityOf(voices);
  if (security.value === "deny") return deny("policy.security-deny", "every command is denied here", bySecurity(security));
  const fallback = askFallbackOf(voices);
  const objection = unboundObjection(input) ?? (security.value === "allowlist" ? outrightObjection(input, security) : null);
  if (objection !== null) return objection;
  const silence = byFallback(fallback);
  const inline = strictInlineEval(input);
  if (inline !== null) return deny("approval.expired", `nobody answered, and ${inline} needs an explicit approval`, silence);
  switch (fallback.value) {
    case "deny":
      return deny("approval.expired", "nobody answered", silence);
    case "full":
      return new Allow("ask-fallback", { reason: "nobody answered", ...silence }, [fullMatch(fallback.source)], input.plan.asRequested);
    case "allowlist": {
      const satisfied = satisfiedBy(input);
      if (!satisfied.ok) return deny("approval.expired", `nobody answered, and ${satisfied.reason}`, silence);
      return new Allow("ask-fallback", { reason: "nobody answered, and it is listed", ...silence }, satisfied.by, judgedStep(input));
    }
  }
}

function voicesOf({ rules, settings, requested }: DecideInput): Voices {
  return { policy: rules.policy, settings, requested };
}

function satisfiedBy(input: DecideInput): Satisfaction {
  const satisfied = satisfy(input);
  const [missed] = input.missedOverrides;
  if (!satisfied.ok || missed === undefined) return satisfied;
  return { ok: false, reason: `the environment variable \`${missed}\` is set, which is not free`, segment: null };
}

function unboundObjection(input: DecideInput): Deny | null {
  const [first] = input.plan.unbound;
  if (input.settings.unbound !== "refuse" || first === undefined) return null;
  return deny("binding.unavailable", first, { layer: "exec-security", source: "tools.exec.unbound", rule: "unbound refuse" });
}

/** Redirection, substitution and subshells: denied whatever is listed, unless the operator wants to see them. */
function outrightObjection(input: DecideInput, security: Sourced<Security>): Deny | null {
  const { analysis } = input.plan;
  if (analysis.ok || analysis.refusal.weight !== "outright" || input.settings.unanalysable === "ask") return null;
  return deny("policy.analysis-failed", analysis.refusal.message, bySecurity(security));
}

function missed(input: DecideInput, reason: string, security: Sourced<Security>): Deny {
  const code = input.plan.analysis.ok ? "policy.allowlist-miss" : "policy.analysis-failed";
  return { ...deny(code, reason, bySecurity(security)), liftedByApproval: true };
}

/** What makes `strictInlineEval` ask, in words. A text that nobody could read may hold anything: a redirection must not hide it. */
function strictInlineEval(input: DecideInput): string | null {
  const { analysis } = input.plan;
  if (!input.settings.strictInlineEval) return null;
  if (!analysis.ok) return "text that cannot be analysed, and may hold inline code,";
  return analysis.segments.find(({ inlineEval }) => inlineEval !== null)?.inlineEval ?? null;
}

function listed(input: DecideInput, satisfied: Satisfaction & { readonly ok: true }, security: Sourced<Security>): Allow {
  const [first] = satisfied.by;
  const answer: Answer = { reason: "every part of it is listed", ...bySecurity(security), source: first?.source ?? security.source };
  return new Allow(first?.kind ?? "allowlist", answer, satisfied.by, judgedStep(input));
}

function judgedStep(input: DecideInput): Step {
  if (!input.plan.analysis.ok) throw new Error("text that was not analysed was found to be satisfied");
  return input.plan.analysis.asJudged;
}

function fullMatch(source: string): MatchedBy {
  return { kind: "full", pattern: "*", source, entry: null, path: null };
}

function bySecurity(security: Sourced<Security>): Omit<Answer, "reason"> {
  return { layer: "exec-security", source: security.source, rule: `security ${security.value}` };
}

function byFallback(fallback: Sourced<AskFallback>): Omit<Answer, "reason"> {
  return { layer: "exec-approval", source: fallback.source, rule: `askFallback ${fallback.value}` };
}

function deny(code: Code, reason: string, by: Omit<Answer, "reason">): Deny {
  return { outcome: "deny", code, reason, ...by, liftedByApproval: false };
}

function askPerson(reason: string, by: Omit<Answer, "reason">, satisfied: Satisfaction): AskPerson {
  return { outcome: "ask", code: "approval.required", reason, ...by, matchedBy: satisfied.ok ? satisfied.by : [] };
}
