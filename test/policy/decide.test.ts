import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CommandPlan } from "../../src/analysis/command-plan.ts";
import { decide, decideFallback, isAllow } from "../../src/policy/decide.ts";
import { ASK_FALLBACKS, ASKS, SECURITIES } from "../../src/policy/document.ts";
import type { Ask, Security } from "../../src/policy/exec-settings.ts";
import { type Case, inputOf } from "./judging.ts";
import { plainProgram, planOf, refusedPlan, segmentOf } from "./table-machine.ts";

const LISTED = planOf([segmentOf(plainProgram("/usr/bin/git"))]);
const MISS = planOf([segmentOf(plainProgram("/usr/bin/rm"))]);
const EVAL = planOf([segmentOf(plainProgram("/usr/bin/git"), [], { inlineEval: "`git eval`" })]);
const ALLOWLIST = ["/usr/bin/git"];

function judged(plan: CommandPlan, security: Security, ask: Ask, rest: Omit<Case, "plan" | "main"> = {}): string {
  const judgement = decide(inputOf({ plan, main: { security, ask, allowlist: ALLOWLIST }, ...rest }));
  return judgement.outcome === "allow" ? `allow ${judgement.decidedBy}` : judgement.outcome === "ask" ? "ask" : `deny ${judgement.code}`;
}

test.each<[Security, Ask, string, string, string, string]>([
  ["deny", "off", "deny policy.security-deny", "deny policy.security-deny", "deny policy.security-deny", "deny policy.security-deny"],
  ["deny", "always", "deny policy.security-deny", "deny policy.security-deny", "deny policy.security-deny", "deny policy.security-deny"],
  ["allowlist", "off", "allow allowlist", "deny policy.allowlist-miss", "deny policy.analysis-failed", "deny policy.analysis-failed"],
  ["allowlist", "on-miss", "allow allowlist", "ask", "ask", "deny policy.analysis-failed"],
  ["allowlist", "always", "ask", "ask", "ask", "deny policy.analysis-failed"],
  ["full", "off", "allow full", "allow full", "allow full", "allow full"],
  ["full", "on-miss", "allow full", "allow full", "allow full", "allow full"],
  ["full", "always", "ask", "ask", "ask", "ask"],
])("security %s, ask %s: listed %s, a miss %s, unreadable %s, redirected %s", (security, ask, listed, miss, unreadable, redirected) => {
  expect(judged(LISTED, security, ask)).toBe(listed);
  expect(judged(MISS, security, ask)).toBe(miss);
  expect(judged(refusedPlan("miss"), security, ask)).toBe(unreadable);
  expect(judged(refusedPlan("outright"), security, ask)).toBe(redirected);
});

test("strictInlineEval asks about text that nobody could read only where everything else would run", () => {
  const strict = { settings: { strictInlineEval: true } };
  expect(judged(refusedPlan("miss"), "full", "off", strict)).toBe("ask");
  expect(judged(refusedPlan("miss"), "allowlist", "off", strict)).toBe("deny policy.analysis-failed");
});

describe("what starts", () => {
  test("is what was judged, when a list allowed it", () => {
    const judgement = decide(inputOf({ plan: LISTED, main: { allowlist: ALLOWLIST } }));
    expect(isAllow(judgement) && LISTED.analysis.ok && judgement.step === LISTED.analysis.asJudged).toBe(true);
  });

  test("is what was asked for, under full", () => {
    const judgement = decide(inputOf({ plan: MISS, main: { security: "full" } }));
    expect(isAllow(judgement) && judgement.step).toBe(MISS.asRequested);
  });
});

describe("every answer names its layer, its source and its rule", () => {
  test.each([
    [{ security: "deny" }, "exec-security", "agents.main.security", "security deny"],
    [{ ask: "always" }, "exec-approval", "agents.main.ask", "ask always"],
    [{ allowlist: ["/x", "/usr/bin/git"] }, "exec-security", "agents.main.allowlist[1]", "security allowlist"],
    [{}, "exec-approval", "built-in", "ask on-miss"],
  ])("%j", (main, layer, source, rule) => {
    expect(decide(inputOf({ plan: LISTED, main }))).toMatchObject({ layer, source, rule });
  });
});

describe("strictInlineEval", () => {
  const strict = { settings: { strictInlineEval: true } };
  test("asks although it is listed, and under full, and when nobody is to be asked", () => {
    expect(judged(EVAL, "allowlist", "on-miss", strict)).toBe("ask");
    expect(judged(EVAL, "allowlist", "off", strict)).toBe("ask");
    expect(judged(EVAL, "full", "off", strict)).toBe("ask");
    expect(judged(EVAL, "allowlist", "on-miss")).toBe("allow allowlist");
  });

  test("is answered by no silence and lifted by no elevation", () => {
    for (const fallback of ASK_FALLBACKS) {
      const main = { security: "full", askFallback: fallback, allowlist: ALLOWLIST };
      expect(decideFallback(inputOf({ plan: EVAL, main, ...strict })).outcome).toBe("deny");
    }
    expect(judged(EVAL, "allowlist", "on-miss", { ...strict, over: { elevated: "full" } })).toBe("ask");
  });
});

test("an override that is not free makes a miss of a listed command", () => {
  expect(judged(LISTED, "allowlist", "off", { over: { missedOverrides: ["FOO"] } })).toBe("deny policy.allowlist-miss");
  expect(judged(LISTED, "allowlist", "on-miss", { over: { missedOverrides: ["FOO"] } })).toBe("ask");
});

test("redirection is shown to the operator where the settings say so", () => {
  const shown = { settings: { unanalysable: "ask" } } as const;
  expect(judged(refusedPlan("outright"), "allowlist", "on-miss", shown)).toBe("ask");
  expect(judged(refusedPlan("outright"), "allowlist", "off", shown)).toBe("deny policy.analysis-failed");
});

test("what loads more than can be bound is refused where the settings say so, whatever is listed", () => {
  const plan = { ...LISTED, unbound: ["the modules it imports"] };
  expect(judged(plan, "allowlist", "on-miss")).toBe("allow allowlist");
  expect(judged(plan, "full", "off", { settings: { unbound: "refuse" } })).toBe("deny binding.unavailable");
});

test("an approval lifts a miss under ask off, and no other no", () => {
  const lifted = (plan: CommandPlan, main: Case["main"]) => {
    const judgement = decide(inputOf({ plan, ...(main === undefined ? {} : { main }) }));
    return judgement.outcome === "deny" && judgement.liftedByApproval;
  };
  expect(lifted(MISS, { ask: "off" })).toBe(true);
  expect(lifted(refusedPlan("miss"), { ask: "off" })).toBe(true);
  expect(lifted(refusedPlan("outright"), { ask: "off" })).toBe(false);
  expect(lifted(MISS, { security: "deny" })).toBe(false);
});

test("elevated: ask asks for what is listed, full skips the approval and neither lifts a no", () => {
  expect(judged(LISTED, "allowlist", "on-miss", { over: { elevated: "on" } })).toBe("allow allowlist");
  expect(judged(LISTED, "allowlist", "on-miss", { over: { elevated: "ask" } })).toBe("ask");
  expect(judged(MISS, "allowlist", "on-miss", { over: { elevated: "full" } })).toBe("allow full");
  expect(judged(MISS, "allowlist", "off", { over: { elevated: "full" } })).toBe("deny policy.allowlist-miss");
  expect(judged(MISS, "deny", "off", { over: { elevated: "full" } })).toBe("deny policy.security-deny");
  expect(judged(refusedPlan("outright"), "allowlist", "on-miss", { over: { elevated: "full" } })).toBe("deny policy.analysis-failed");
});

describe("silence", () => {
  const silent = (plan: CommandPlan, security: Security, askFallback: string): string => {
    const judgement = decideFallback(inputOf({ plan, main: { security, ask: "always", askFallback, allowlist: ALLOWLIST } }));
    return judgement.outcome === "allow" ? `allow ${judgement.decidedBy}` : judgement.outcome;
  };
  test.each([
    ["deny", "full", "deny", "deny", "deny"],
    ["allowlist", "deny", "deny", "deny", "deny"],
    ["allowlist", "allowlist", "allow ask-fallback", "deny", "deny"],
    ["allowlist", "full", "allow ask-fallback", "deny", "deny"],
    ["full", "deny", "deny", "deny", "deny"],
    ["full", "allowlist", "allow ask-fallback", "deny", "deny"],
    ["full", "full", "allow ask-fallback", "allow ask-fallback", "allow ask-fallback"],
  ] as const)("under %s with %s: listed %s, a miss %s, redirected %s", (security, fallback, listed, miss, redirected) => {
    expect(silent(LISTED, security, fallback)).toBe(listed);
    expect(silent(MISS, security, fallback)).toBe(miss);
    expect(silent(refusedPlan("outright"), security, fallback)).toBe(redirected);
  });

  test("in the settings tightens and never widens", () => {
    const input = inputOf({
      plan: LISTED,
      main: { ask: "always", askFallback: "full", allowlist: ALLOWLIST },
      settings: { askFallback: "deny" },
    });
    expect(decideFallback(input)).toMatchObject({ outcome: "deny", source: "tools.exec.askFallback" });
  });
});

const ORDER = { allow: 2, ask: 1, deny: 0 } as const;

describe("for any policy and any request", () => {
  const world = fc.record({
    plan: fc.constantFrom(LISTED, MISS, EVAL, refusedPlan("miss"), refusedPlan("outright"), planOf([])),
    main: fc.record({
      security: fc.constantFrom(...SECURITIES),
      ask: fc.constantFrom(...ASKS),
      askFallback: fc.constantFrom(...ASK_FALLBACKS),
    }),
    missed: fc.constantFrom<readonly string[]>([], ["FOO"]),
    elevated: fc.constantFrom<"on" | "ask" | "full" | null>(null, "on", "ask", "full"),
    strict: fc.boolean(),
  });
  const input = (
    { plan, main, missed, elevated, strict }: typeof world extends fc.Arbitrary<infer Value> ? Value : never,
    over: Case["over"] = {},
  ) =>
    inputOf({
      plan,
      main: { ...main, allowlist: ALLOWLIST },
      settings: { strictInlineEval: strict },
      over: { missedOverrides: missed, elevated, ...over },
    });

  test("nothing is allowed under deny, whoever said it", () => {
    fc.assert(
      fc.property(world, (given) => {
        const denied = input(given, { requested: { security: "deny", ask: null } });
        expect([decide(denied).outcome, decideFallback(denied).outcome]).toEqual(["deny", "deny"]);
      }),
      { numRuns: 400 },
    );
  });

  test("a request can only tighten security", () => {
    fc.assert(
      fc.property(world, fc.constantFrom(...SECURITIES), (given, security) => {
        const plain = decide(input(given));
        const tightened = decide(input(given, { requested: { security, ask: null } }));
        expect(ORDER[tightened.outcome]).toBeLessThanOrEqual(ORDER[plain.outcome]);
      }),
      { numRuns: 800 },
    );
  });

  test("a request for more asking never makes a yes of anything that was none", () => {
    fc.assert(
      fc.property(world, fc.constantFrom(...ASKS), (given, ask) => {
        const plain = decide(input({ ...given, elevated: null }));
        const tightened = decide(input({ ...given, elevated: null }, { requested: { security: null, ask } }));
        expect(tightened.outcome === "allow" && plain.outcome !== "allow").toBe(false);
      }),
      { numRuns: 800 },
    );
  });
});
