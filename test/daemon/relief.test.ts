import { describe, expect, test } from "vitest";
import { type Credentials, callerByToken } from "../../src/auth/caller.ts";
import { CONNECTIONS_MAX, INCOMING_BYTES_TOTAL_MAX, INCOMING_LONG_BYTES, LINE_BYTES_MAX } from "../../src/core/limits.ts";
import { relieveInput, type Sender } from "../../src/daemon/relief.ts";

const credentials: Credentials = { gatewayToken: "g", operatorToken: "o", gateways: new Map(), gatewayMayResolve: false };

type Holding = readonly [name: string, token: "g" | "o" | "", bytes: number, longForMs: number];

/** Who is told to go when these hold what they hold. */
function dismissed(...holdings: readonly Holding[]): readonly string[] {
  const told: string[] = [];
  const senders = holdings.map(
    ([name, token, bytes, longForMs]): Sender => ({
      caller: () => callerByToken(credentials, token),
      unfinished: () => ({ bytes, longForMs }),
      dismiss: ({ code }) => void told.push(`${name}: ${code}`),
    }),
  );
  relieveInput(senders);
  return told;
}

const crowd = (bytes: number, token: Holding[1] = "g"): readonly Holding[] =>
  Array.from({ length: Math.floor(INCOMING_BYTES_TOTAL_MAX / bytes) }, (_, index): Holding => [`${index}`, token, bytes, 10]);

describe("unfinished lines of all connections", () => {
  test("up to their bound cost nobody anything", () => {
    expect(dismissed(...crowd(LINE_BYTES_MAX))).toEqual([]);
  });

  test("beyond it cost one connection, which has held the most for the longest", () => {
    expect(dismissed(...crowd(LINE_BYTES_MAX), ["old", "g", LINE_BYTES_MAX, 11], ["short", "g", 1, 1000])).toEqual(["old: overloaded"]);
  });

  test("cost those who sit on half a line rather than one who is sending a longer one", () => {
    const told = dismissed(["honest", "g", LINE_BYTES_MAX, 2], ...crowd(LINE_BYTES_MAX / 2));
    expect(told).toEqual(["0: overloaded"]);
  });

  test("cost a stranger or a gateway before an operator", () => {
    expect(dismissed(["operator", "o", LINE_BYTES_MAX, 1000], ...crowd(LINE_BYTES_MAX, ""))).toEqual(["0: overloaded"]);
    expect(dismissed(["operator", "o", LINE_BYTES_MAX, 1000], ...crowd(LINE_BYTES_MAX))).toEqual(["0: overloaded"]);
  });

  test("cost an operator when no other holds much, and never one whose line is short", () => {
    const short: Holding = ["short", "g", INCOMING_LONG_BYTES - 1, 100_000];
    expect(dismissed(short, ...crowd(LINE_BYTES_MAX, "o"))).toEqual(["0: overloaded"]);
  });

  test("cannot reach the bound while all of them are short", () => {
    expect(CONNECTIONS_MAX * INCOMING_LONG_BYTES).toBeLessThanOrEqual(INCOMING_BYTES_TOTAL_MAX);
  });
});
