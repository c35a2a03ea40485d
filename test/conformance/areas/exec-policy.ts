import { type AgentId, isAgentId } from "../../../src/core/ids.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { derivePatterns } from "../../../src/policy/allow-always.ts";
import { exactArgPattern, noRegex } from "../../../src/policy/arg-pattern.ts";
import { type DecideInput, decide, decideFallback } from "../../../src/policy/decide.ts";
import { ASK_FALLBACKS, ASKS, parseDocument, SECURITIES } from "../../../src/policy/document.ts";
import { type EffectivePolicy, effectiveFor } from "../../../src/policy/effective.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../../src/policy/exec-settings.ts";
import { compileRules } from "../../../src/policy/rules.ts";
import { askFallbackOf, askOf, moreAsking, type Requested, securityOf, stricterSecurity } from "../../../src/policy/strictness.ts";
import { plainProgram, planOf, refusedPlan, segmentOf, tableMachine } from "../../policy/table-machine.ts";
import type { Area } from "../area.ts";
import { oneOf, textOf } from "../reading.ts";

export const area: Area = {
  name: "exec-policy",
  check({ given, expect }) {
    switch (given["op"] ?? "decide") {
      case "decide":
        return checkDecision(given, expect);
      case "min-security":
        return differs(stricterSecurity(oneOf(given["a"], SECURITIES), oneOf(given["b"], SECURITIES)), expect["value"]);
      case "max-ask":
        return differs(moreAsking(oneOf(given["a"], ASKS), oneOf(given["b"], ASKS)), expect["value"]);
      case "normalize":
        return differs(readWord(textOf(given["kind"]), textOf(given["raw"])), expect["value"]);
      case "effective":
        return checkEffective(given, expect);
      default:
        return `does not know the op ${JSON.stringify(given["op"])}`;
    }
  },
};

const machine = tableMachine();

/** One segment, listed with its exact arguments or not: that way an inline eval can be listed too. */
function inputFor(given: JsonObject): DecideInput {
  const inlineEval = given["inlineEval"] === true ? "`python3 -c`" : null;
  const program = plainProgram(inlineEval === null ? "/usr/bin/rg" : "/usr/bin/python3");
  const segment = segmentOf(program, ["-c", "1"], { inlineEval });
  const isListed = given["allowlistSatisfied"] === true;
  const allowlist = isListed ? [{ pattern: program.realPath, argPattern: exactArgPattern(segment.argv, segment.cwd) }] : [];
  const { security, ask, askFallback } = given;
  const policy = effective({ version: 1, agents: { main: { security, ask, askFallback: askFallback ?? "deny", allowlist } } }, "main");
  return {
    plan: given["analysisOk"] === true ? planOf([segment]) : refusedPlan("miss"),
    rules: compileRules(policy, machine, noRegex),
    settings: { ...EXEC_SETTINGS_DEFAULT, strictInlineEval: given["strictInlineEval"] === true },
    machine,
    requested: { security: null, ask: null },
    missedOverrides: [],
    hashOf: () => null,
    usesLeft: () => null,
    nowMs: 0,
  };
}

function checkDecision(given: JsonObject, expect: JsonObject): string | null {
  const input = inputFor(given);
  const { decision, persist } = outcomeOf(input, textOf(given["approval"] ?? "none"));
  if (decision !== expect["decision"]) return `decided ${decision}`;
  return expect["persist"] === undefined || expect["persist"] === persist ? null : `persists: ${String(persist)}`;
}

/** What becomes of a judgement when a person answered, or nobody did. */
function outcomeOf(input: DecideInput, approval: string): { readonly decision: string; readonly persist: boolean } {
  const judgement = decide(input);
  const isOpen = judgement.outcome === "ask" || (judgement.outcome === "deny" && judgement.liftedByApproval);
  const offer = () => derivePatterns(input.plan, machine, { scope: "executable", hashOf: () => null });
  if (approval === "none" || !isOpen) return { decision: judgement.outcome, persist: false };
  if (approval === "allow-once") return { decision: "allow", persist: false };
  if (approval === "allow-always") return { decision: "allow", persist: offer().entries.length > 0 };
  if (approval === "deny") return { decision: "deny", persist: false };
  return { decision: decideFallback(input).outcome, persist: false };
}

function checkEffective(given: JsonObject, expect: JsonObject): string | null {
  const policy = effective(given["file"], textOf(given["agentId"]));
  const wanted = requestedOf(given["requested"]);
  const voices = { policy, settings: {}, requested: wanted };
  const found: JsonObject = { security: securityOf(voices).value, ask: askOf(voices).value, askFallback: askFallbackOf(voices).value };
  const wrong = Object.keys(expect).filter((key) => key in found && found[key] !== expect[key]);
  return wrong.length === 0 ? null : `effective ${JSON.stringify(found)}`;
}

function requestedOf(value: unknown): Requested {
  const wanted: JsonObject = typeof value === "object" && value !== null ? { ...value } : {};
  return {
    security: wanted["security"] === undefined ? null : oneOf(wanted["security"], SECURITIES),
    ask: wanted["ask"] === undefined ? null : oneOf(wanted["ask"], ASKS),
  };
}

function effective(file: unknown, agent: string): EffectivePolicy {
  const document = parseDocument(JSON.stringify(file));
  if (!document.ok) throw new Error(document.failure.message);
  return effectiveFor(document.value, agentOf(agent));
}

function agentOf(name: string): AgentId {
  if (!isAgentId(name)) throw new Error(`not an agent: ${name}`);
  return name;
}

/** Nothing is trimmed or case-folded: a word is in the list or it is none. */
function readWord(kind: string, raw: string): string | null {
  const lists: Readonly<Record<string, readonly string[]>> = {
    security: SECURITIES,
    ask: ASKS,
    askFallback: ASK_FALLBACKS,
    host: ["sandbox", "gateway", "node"],
  };
  return lists[kind]?.find((word) => word === raw) ?? null;
}

function differs(found: unknown, expected: unknown): string | null {
  return found === expected ? null : `gave ${JSON.stringify(found)}`;
}
