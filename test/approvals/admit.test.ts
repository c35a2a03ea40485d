import { beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../src/approvals/admit.ts";
import { findApproval } from "../../src/approvals/find.ts";
import { emptyLedger, fold, type Ledger } from "../../src/approvals/ledger.ts";
import {
  APPROVALS_PENDING_MAX,
  APPROVALS_PENDING_PER_AGENT_MAX,
  APPROVALS_PENDING_PER_CREDENTIAL_MAX,
  PROMPTS_COUNTED_FOR_MS,
  PROMPTS_PER_AGENT_PER_MINUTE_MAX,
} from "../../src/core/limits.ts";
import { agent, approvalIdOf, request } from "./history.ts";

const START_MS = 1_000_000;
const main = agent("main");

let ledger: Ledger;
let asked: number;
beforeEach(() => {
  ledger = emptyLedger();
  asked = 0;
});

/** So far apart that nobody asks too often. */
function ask(times: number, credential: (index: number) => string, agentName: (index: number) => string): void {
  for (let index = 0; index < times; index += 1) {
    const asker = { credential: credential(index), agentId: agent(agentName(index)), requestKey: null };
    fold(ledger, request(approvalIdOf(asked), asker, 10 * START_MS), START_MS);
    asked += 1;
  }
}

const LATER_MS = START_MS + PROMPTS_COUNTED_FOR_MS;
const wanted = { credential: "gateway", agentId: main, requestKey: null, binding: "sha256:" };
const refused = (limit: number): object => ({ ok: false, failure: { code: "overloaded", details: { limit } } });
const ADMITTED = { ok: true, value: null };

describe("a new question", () => {
  test.each([
    ["of all", APPROVALS_PENDING_MAX, (index: number) => `credential ${index}`, (index: number) => `agent-${index}`],
    ["of one credential", APPROVALS_PENDING_PER_CREDENTIAL_MAX, () => "gateway", (index: number) => `agent-${index}`],
    ["of one agent", APPROVALS_PENDING_PER_AGENT_MAX, (index: number) => `credential ${index}`, () => "main"],
  ])("is refused when the pending ones %s are as many as a person can be asked to look at, and taken when one is answered", (...row) => {
    const [, limit, credential, agentName] = row;
    ask(limit - 1, credential, agentName);
    expect(admit(ledger, wanted, LATER_MS)).toEqual(ADMITTED);
    ask(1, credential, agentName);
    expect(admit(ledger, wanted, LATER_MS)).toMatchObject(refused(limit));
    fold(ledger, { type: "approval.decided", id: approvalIdOf(0), decision: "deny", by: "operator", reason: null }, LATER_MS);
    expect(admit(ledger, wanted, LATER_MS)).toEqual(ADMITTED);
  });

  test("is refused when its agent asked too often in a minute, answered or not, and taken when the minute is over", () => {
    ask(
      PROMPTS_PER_AGENT_PER_MINUTE_MAX,
      () => "gateway",
      () => "main",
    );
    for (let index = 0; index < asked; index += 1) {
      fold(ledger, { type: "approval.cancelled", id: approvalIdOf(index), by: "gateway" }, START_MS);
    }
    expect(admit(ledger, wanted, LATER_MS - 1)).toMatchObject(refused(PROMPTS_PER_AGENT_PER_MINUTE_MAX));
    expect(admit(ledger, { ...wanted, agentId: agent("ops") }, LATER_MS - 1)).toEqual(ADMITTED);
    expect(admit(ledger, wanted, LATER_MS)).toEqual(ADMITTED);
  });

  test("is taken however many of its agent nobody was there to see", () => {
    for (let index = 0; index < 2 * PROMPTS_PER_AGENT_PER_MINUTE_MAX; index += 1) {
      const last = approvalIdOf(asked);
      ask(
        1,
        () => "gateway",
        () => "main",
      );
      fold(ledger, { type: "approval.expired", id: last, code: "approval.no-route" }, START_MS);
    }
    expect(admit(ledger, wanted, START_MS)).toEqual(ADMITTED);
  });
});

describe("a request key", () => {
  const keyed = { ...wanted, requestKey: "deploy" };
  beforeEach(() => {
    fold(ledger, request(approvalIdOf(0), keyed, 2 * START_MS), START_MS);
    fold(ledger, { type: "approval.cancelled", id: approvalIdOf(0), by: "gateway" }, START_MS);
  });

  test("that was used for the same command finds the approval, settled or not", () => {
    expect(admit(ledger, keyed, LATER_MS)).toMatchObject({ ok: true, value: { id: approvalIdOf(0), state: "cancelled" } });
  });

  test("that was used for another command is a conflict", () => {
    expect(admit(ledger, { ...keyed, binding: "sha256:other" }, LATER_MS)).toMatchObject({
      ok: false,
      failure: { code: "approval.id-conflict" },
    });
  });

  test("means nothing to another credential or agent, and nothing once its approval is forgotten", () => {
    expect(admit(ledger, { ...keyed, credential: "another" }, LATER_MS)).toEqual(ADMITTED);
    expect(admit(ledger, { ...keyed, agentId: agent("ops") }, LATER_MS)).toEqual(ADMITTED);
    ledger.approvals.delete(approvalIdOf(0));
    expect(admit(ledger, keyed, LATER_MS)).toEqual(ADMITTED);
  });
});

describe("a prefix", () => {
  test("finds what waits alone with it, and neither what is settled nor one of several", () => {
    ask(
      4,
      () => "gateway",
      () => "main",
    );
    expect(findApproval(ledger, "aaaaaaaa")).toMatchObject({
      ok: false,
      failure: { code: "approval.ambiguous", details: { ids: [approvalIdOf(0), approvalIdOf(2)] } },
    });
    fold(ledger, { type: "approval.cancelled", id: approvalIdOf(0), by: "gateway" }, START_MS);
    expect(findApproval(ledger, "aaaaaaaa")).toMatchObject({ ok: true, value: { id: approvalIdOf(2) } });
    fold(ledger, { type: "approval.cancelled", id: approvalIdOf(2), by: "gateway" }, START_MS);
    expect(findApproval(ledger, "aaaaaaaa")).toMatchObject({ ok: false, failure: { code: "approval.unknown" } });
  });
});
