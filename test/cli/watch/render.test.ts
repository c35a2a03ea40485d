import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { painter } from "../../../src/cli/paint.ts";
import type { Key } from "../../../src/cli/watch/keys.ts";
import { pendingOf } from "../../../src/cli/watch/pending.ts";
import { type Input, react } from "../../../src/cli/watch/react.ts";
import { render } from "../../../src/cli/watch/render.ts";
import { initialState, type WatchState } from "../../../src/cli/watch/state.ts";
import { columnsOf } from "../../../src/cli/width.ts";
import { isAllVisible } from "../../../src/wire/visible.ts";
import { approval, NOW_MS, request } from "./requests.ts";

const plain = painter(false);
const after = (state: WatchState, ...inputs: readonly Input[]): WatchState =>
  inputs.reduce((now, input) => react(now, input, NOW_MS).state, state);

describe("the screen", () => {
  /** Texts that somebody hostile would choose, in every place where somebody else chooses a text. */
  const hostile = fc.string({ unit: "binary", maxLength: 60 });
  const key: fc.Arbitrary<Key> = fc.oneof(
    fc.constantFrom<Key>(
      { kind: "named", name: "enter" },
      { kind: "named", name: "escape" },
      { kind: "named", name: "down" },
      { kind: "named", name: "page-down" },
    ),
    fc
      .constantFrom("j", "o", "a", "t", "d", "f", "e", "c", "y", "1", "?", "g", "G", "q", " ", "3", "x")
      .map((char): Key => ({ kind: "char", char })),
    hostile.map((text): Key => ({ kind: "paste", text })),
  );

  test("has exactly as many rows as the terminal, none too wide, and nothing on it that leaves no ink, whatever is asked and typed", () => {
    fc.assert(
      fc.property(
        fc.record({ rows: fc.integer({ min: 5, max: 50 }), columns: fc.integer({ min: 20, max: 140 }) }),
        fc.record({
          words: fc.array(hostile, { minLength: 1, maxLength: 5 }),
          agent: hostile,
          session: hostile,
          cwd: hostile,
          warning: hostile,
          text: hostile,
          earlier: hostile,
        }),
        fc.array(key, { maxLength: 8 }),
        (size, { words, agent, session, cwd, warning, text, earlier }, keys) => {
          const made = approval({ agentId: agent, sessionKey: session });
          const path = "/srv/app/deploy.sh";
          const contents = { [path]: { text, knownSinceMs: null, earlier: { text: earlier, atMs: 0 } } };
          const plan = made.plan == null ? null : { ...made.plan, argv: words, cwd, unbound: [warning] };
          const display = { command: words.join(" "), words, warnings: [warning], env: { [warning]: text } };
          const requester = { credential: agent, exe: cwd, host: session };
          const pending = pendingOf({ ...made, plan, display, contents, requester, context: { sender: warning } }, NOW_MS);
          let state = after(initialState(size), { kind: "synced", pending: [pending, request(2)] });
          for (const pressed of keys) {
            state = after(state, { kind: "key", key: pressed }, { kind: "fetched", id: pending.id, pending });
            const lines = render(state, NOW_MS, plain);
            expect(lines).toHaveLength(size.rows);
            for (const line of lines) {
              expect(columnsOf(line)).toBeLessThanOrEqual(size.columns);
              expect(isAllVisible(line)).toBe(true);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("is the same words in colour and without", () => {
    const state = after(initialState({ rows: 24, columns: 80 }), { kind: "synced", pending: [request(1), request(2)] });
    const coloured = render(state, NOW_MS, painter(true)).map((line) => line.replaceAll(/\u001b\[\d+m/g, ""));
    expect(coloured).toEqual(render(state, NOW_MS, plain));
  });

  test("what is not covered stands before everything else, and what looks odd right after it", () => {
    const made = approval();
    const plan = made.plan == null ? null : { ...made.plan, unbound: ["whatever it imports"] };
    const display = made.display == null ? null : { ...made.display, warnings: ["word 2 looks like another"] };
    const pending = pendingOf({ ...made, plan, display }, NOW_MS);
    const state = after(
      initialState({ rows: 40, columns: 80 }),
      { kind: "synced", pending: [pending] },
      { kind: "key", key: { kind: "named", name: "enter" } },
    );
    const text = render(state, NOW_MS, plain).join("\n");
    expect(text).toMatch(/Not covered\n {2}- whatever it imports\n\nLook closely\n {2}- word 2 looks like another\n\nWould run\n/);
  });

  test("draws a thousand requests in a few milliseconds, because it writes out only those in sight", () => {
    const many = Array.from({ length: 1000 }, (_, index) => request(index, {}, ["step", String(index)]));
    const state = after(initialState({ rows: 50, columns: 200 }), { kind: "synced", pending: many });
    const from = performance.now();
    for (let round = 0; round < 20; round += 1) render(state, NOW_MS, plain);
    expect((performance.now() - from) / 20).toBeLessThan(20);
  });

  test("requests that are bound to nothing are never taken for the same", () => {
    const state = after(initialState({ rows: 24, columns: 80 }), {
      kind: "synced",
      pending: [request(1, { binding: "none" }), request(2, { binding: "none" })],
    });
    expect(state.groups).toHaveLength(2);
  });
});
