import type { RunStarting } from "../approvals/events.ts";
import { tokenKey } from "../approvals/ledger.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Claimed, spentToken } from "./permit.ts";
import type { Prepared } from "./prepare.ts";
import { createTurns, type Turns } from "./turns.ts";
import type { World } from "./world.ts";

/**
 * Makes the use of a permit durable, in the same record that says the run is starting. After this the command may be started once; before
 * it, never. A crash between the two costs the operator a second click and never runs a command twice.
 */
export type Consume = (claimed: Claimed, starting: RunStarting, prepared: Prepared) => Promise<Result<void, Denial>>;

export function createConsume(world: Pick<World, "append" | "desk">): Consume {
  const turns = createTurns();
  return async (claimed, starting, prepared) => {
    if (claimed.approvalId !== null) {
      const spent = await world.desk.spend(claimed.approvalId, () => starting);
      return spent.ok ? ok(undefined) : spent;
    }
    const write = async (): Promise<Result<void, Denial>> => {
      const objection = usedUpMeanwhile(starting, prepared, world);
      if (objection !== null) return fail(objection);
      const written = await world.append(starting);
      return written.ok ? ok(undefined) : written;
    };
    return inTurn(turns, namesOf(starting), write);
  };
}

/** What is counted must be looked at and written as one step; what is not counted waits for nobody. */
function namesOf(starting: RunStarting): readonly string[] {
  const token = starting.token === null ? [] : [tokenKey(starting.token.iss, starting.token.jti)];
  // In one order everywhere, so that two runs that share two grants cannot wait for each other.
  return [...token, ...new Set(starting.grants)].sort();
}

async function inTurn<Value>(turns: Turns, names: readonly string[], work: () => Promise<Value>): Promise<Value> {
  const [first, ...rest] = names;
  return first === undefined ? work() : turns.take(first, () => inTurn(turns, rest, work));
}

function usedUpMeanwhile(starting: RunStarting, prepared: Prepared, world: Pick<World, "desk">): Denial | null {
  const { token, grants } = starting;
  if (token !== null && world.desk.ledger.spentTokens.has(tokenKey(token.iss, token.jti))) return spentToken(token.iss, token.jti);
  const spent = grants.find((key) => (prepared.decideInput.usesLeft(key) ?? 1) < 1);
  if (spent === undefined) return null;
  return denial("policy.allowlist-miss", "the grant that covered this command was used up; ask for an approval", { entry: spent });
}
