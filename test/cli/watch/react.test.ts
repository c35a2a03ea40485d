import { describe, expect, test } from "vitest";
import { readKeys } from "../../../src/cli/watch/keys.ts";
import type { Pending } from "../../../src/cli/watch/pending.ts";
import { type Input, react } from "../../../src/cli/watch/react.ts";
import { type Effect, initialState, type WatchState } from "../../../src/cli/watch/state.ts";
import { PROMPT_GUARD_MS, REASON_BYTES_MAX, WATCH_RECENT_MAX } from "../../../src/core/limits.ts";
import { NOW_MS, request } from "./requests.ts";

/** A person at the screen, with a clock that moves only when told to. */
class Person {
  state: WatchState;
  nowMs = NOW_MS;
  effects: Effect[] = [];

  constructor(pending: readonly Pending[], size = { rows: 40, columns: 100 }) {
    this.state = initialState(size);
    this.sees({ kind: "synced", pending });
    this.effects = [];
  }
  sees(input: Input): this {
    const { state, effects } = react(this.state, input, this.nowMs);
    this.state = state;
    this.effects.push(...effects);
    return this;
  }
  /** Keys in one go, as fast as a terminal hands them over. */
  types(text: string): this {
    for (const key of readKeys(text).keys) this.sees({ kind: "key", key });
    return this;
  }
  waits(ms = PROMPT_GUARD_MS): this {
    this.nowMs += ms;
    return this;
  }
  /** Opens what the cursor is on, and the daemon has told everything about it. */
  opens(): this {
    this.types("\r");
    const { view } = this.state;
    if (view.kind === "prompt") this.sees({ kind: "fetched", id: view.shown.id, pending: view.shown });
    return this;
  }
  get answers() {
    return this.effects.filter((effect) => effect.kind === "resolve");
  }
}

describe("an answer", () => {
  test("o allows what is on the screen, once", () => {
    const person = new Person([request(1)]).opens().waits().types("o");
    expect(person.answers).toEqual([{ kind: "resolve", ids: [request(1).id], answer: { decision: "allow-once" } }]);
    expect(person.state.view).toEqual({ kind: "list" });
  });

  test("return never allows anything, however often it is pressed", () => {
    const person = new Person([request(1)]).opens();
    for (let i = 0; i < 20; i += 1) person.waits().types("\r");
    person.waits().types("a").waits().types("\r\r").waits().types("\u001b[B\r");
    expect(person.answers).toEqual([]);
  });

  test.each(["o", "a", "t", "d"])("%s within half a second of the question appearing is ignored, and it says so", (key) => {
    const person = new Person([request(1)])
      .opens()
      .waits(PROMPT_GUARD_MS - 1)
      .types(key);
    expect(person.state.view).toMatchObject({ kind: "prompt", step: { kind: "read" } });
    expect([person.answers, person.state.notice]).toEqual([[], expect.stringContaining("too soon")]);
    person.waits(1).types(key);
    expect(person.state.view).not.toMatchObject({ step: { kind: "read" } });
  });

  test("typing ahead goes nowhere: a whole row of keys at once answers nothing", () => {
    expect(new Person([request(1), request(2)]).types("\rooyyoajeecyt3x\re").answers).toEqual([]);
  });

  test("the time counts again when what is shown grows", () => {
    const person = new Person([request(1)]).types("\r").waits();
    const { view } = person.state;
    if (view.kind !== "prompt") throw new Error("not a question");
    person.sees({ kind: "fetched", id: view.shown.id, pending: view.shown }).types("o");
    expect(person.answers).toEqual([]);
    expect(person.waits().types("o").answers).toHaveLength(1);
  });

  test("nothing is allowed before the daemon has told everything", () => {
    const person = new Person([request(1)]).types("\r").waits().types("o");
    expect([person.answers, person.state.notice]).toEqual([[], expect.stringContaining("not everything is here")]);
  });

  test("nothing is allowed that was not on the screen to its end", () => {
    const long = request(1, {}, ["tar", ...Array.from({ length: 60 }, (_, index) => `file${index}`)]);
    const person = new Person([long], { rows: 24, columns: 80 }).opens().waits().types("o");
    expect([person.answers, person.state.notice]).toEqual([[], expect.stringMatching(/^\d+ more lines to read first/)]);
    expect(person.types("     ").types("o").answers).toHaveLength(1);
  });

  test("a smaller window hides the end again, so it must be read again", () => {
    const person = new Person([request(1)]).opens().waits();
    person.sees({ kind: "resized", size: { rows: 8, columns: 40 } }).types("o");
    expect(person.answers).toEqual([]);
  });

  test("in a window too small to read in, no key answers anything", () => {
    const person = new Person([request(1)]).opens().waits().types("a").waits();
    person
      .sees({ kind: "resized", size: { rows: 5, columns: 20 } })
      .types("eo")
      .waits()
      .types("eody\r");
    expect(person.answers).toEqual([]);
    expect(person.types("\u001b[").state.view.kind).toBe("prompt");
  });

  test("a denial can be given without reading to the end, and carries its reason", () => {
    const long = request(1, {}, ["tar", ...Array.from({ length: 60 }, (_, index) => `file${index}`)]);
    const person = new Person([long], { rows: 24, columns: 80 }).opens().waits().types("d").types("not on a Friday").waits().types("\r");
    expect(person.answers).toEqual([{ kind: "resolve", ids: [long.id], answer: { decision: "deny", reason: "not on a Friday" } }]);
  });

  test("a reason is typed, corrected, and bounded", () => {
    const person = new Person([request(1)]).opens().waits().types("d").types("nö\u007fo").waits();
    person.types("x".repeat(REASON_BYTES_MAX + 10)).types("\r");
    const [answer] = person.answers;
    expect(answer?.answer).toEqual({ decision: "deny", reason: `no${"x".repeat(REASON_BYTES_MAX - 2)}` });
  });

  test.each([
    { key: "e", scope: "executable" },
    { key: "c", scope: "command" },
  ])("a, then $key, allows for good in the scope $scope", ({ key, scope }) => {
    const person = new Person([request(1)]).opens().waits().types("a").waits().types(key);
    expect(person.answers).toMatchObject([{ answer: { decision: "allow-always", scope, bounds: {} } }]);
  });

  test.each([
    { text: "30m", bounds: { expiresInMs: 1_800_000 } },
    { text: "3x", bounds: { uses: 3 } },
    { text: "1h 5x", bounds: { expiresInMs: 3_600_000, uses: 5 } },
  ])("t with $text allows within these bounds", ({ text, bounds }) => {
    const person = new Person([request(1)]).opens().waits().types("t").types(text).waits().types("\r").waits().types("e");
    expect(person.answers).toMatchObject([{ answer: { decision: "allow-always", scope: "executable", bounds } }]);
  });

  test.each(["3", "soon", "", "0m", "0x", "400d", "1h 2h", "1h 2x 3x", "-1m"])(
    "t with %j is not understood, and nothing is allowed",
    (text) => {
      const person = new Person([request(1)]).opens().waits().types("t").types(text).waits().types("\r").waits().types("e");
      expect([person.answers, person.state.view]).toMatchObject([[], { step: { kind: "bounds" } }]);
    },
  );

  test("what cannot be covered can be allowed once and not for good", () => {
    const person = new Person([request(1, { allowedDecisions: ["allow-once", "deny"] })]).opens().waits().types("a").types("t");
    expect(person.state.notice).toContain("not for good");
    expect(person.types("o").answers).toHaveLength(1);
  });

  test("pasted text answers nothing, and is taken as words only where words are asked for", () => {
    const person = new Person([request(1)]).opens().waits().types("\u001b[200~o\ry\u001b[201~");
    expect(person.answers).toEqual([]);
    person.types("d\u001b[200~be\rcause\u001b[31m\u001b[201~").waits().types("\r");
    expect(person.answers).toMatchObject([{ answer: { reason: "be cause\\x1b[31m" } }]);
  });
});

describe("identical requests", () => {
  const same = (number: number) => request(number, { binding: "sha256:same" });

  test("are one line, and are answered together after they were listed", () => {
    const person = new Person([same(1), request(2), same(3)]);
    expect(person.state.groups.map(({ ids }) => ids.length)).toEqual([2, 1]);
    person.opens().waits().types("o");
    expect([person.answers, person.state.view]).toMatchObject([[], { step: { kind: "confirm" } }]);
    expect(person.waits().types("y").answers).toMatchObject([{ ids: [same(1).id, same(3).id] }]);
  });

  test("one that arrives while the others are being read is not answered with them", () => {
    const person = new Person([same(1), same(2)]).opens().waits().types("o");
    person
      .sees({ kind: "arrived", pending: same(3) })
      .waits()
      .types("y");
    expect(person.answers).toMatchObject([{ ids: [same(1).id, same(2).id] }]);
    expect([...person.state.pending.keys()]).toContain(same(3).id);
  });

  test("the preview can answer the first alone, and return leaves it", () => {
    const person = new Person([same(1), same(2)]).opens().waits().types("o").waits().types("\r");
    expect([person.answers, person.state.view]).toMatchObject([[], { step: { kind: "read" } }]);
    expect(person.waits().types("o").waits().types("1").answers).toMatchObject([{ ids: [same(1).id] }]);
  });

  test("a key pressed too soon after the preview appeared is ignored", () => {
    expect(new Person([same(1), same(2)]).opens().waits().types("oy").answers).toEqual([]);
  });

  test("the same words from another session are another request", () => {
    expect(new Person([request(1), request(2)]).state.groups).toHaveLength(2);
  });
});

describe("while somebody reads", () => {
  test("a request that goes away cannot be answered, and nothing takes its place under the key", () => {
    const person = new Person([request(1), request(2)]).opens().waits();
    person.sees({ kind: "settled", id: request(1).id, how: "denied by operator" }).types("o");
    expect([person.answers, person.state.view]).toMatchObject([
      [],
      { kind: "prompt", shown: { id: request(1).id }, gone: "denied by operator" },
    ]);
  });

  test("a notification opens its request, but pulls nobody out of an answer", () => {
    const person = new Person([request(1), request(2)]);
    person.sees({ kind: "open", id: request(2).id });
    expect(person.state.view).toMatchObject({ kind: "prompt", shown: { id: request(2).id } });
    person
      .waits()
      .types("d")
      .sees({ kind: "open", id: request(1).id });
    expect(person.state.view).toMatchObject({ shown: { id: request(2).id }, step: { kind: "reason" } });
  });

  test("one that was opened from the desktop under the fingers takes no key for half a second", () => {
    const person = new Person([request(1), request(2)]).opens().waits();
    person
      .sees({ kind: "open", id: request(2).id })
      .sees({ kind: "fetched", id: request(2).id, pending: request(2) })
      .types("o");
    expect(person.answers).toEqual([]);
  });

  test("a restart of the daemon closes what it no longer has, and keeps the rest", () => {
    const person = new Person([request(1), request(2)]).opens();
    person.sees({ kind: "lost", reason: "it is gone", retryAtMs: NOW_MS + 100 });
    person.sees({ kind: "synced", pending: [request(2), request(3)] });
    expect(person.state.view).toMatchObject({ gone: expect.stringContaining("while the daemon was away") });
    expect([...person.state.pending.keys()]).toEqual([request(2).id, request(3).id]);
    expect(person.effects.filter(({ kind }) => kind === "announce")).toMatchObject([{ pending: { id: request(3).id } }]);
  });
});

describe("the files of a request", () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  const one = request(1, { contents: { "/srv/app/deploy.sh": { text, knownSinceMs: null, earlier: null } } });
  const top = (person: Person) =>
    person.state.view.kind === "prompt" && person.state.view.step.kind === "files" ? person.state.view.step.top : null;

  test("scroll to their end and no further, and going back is not an answer", () => {
    const person = new Person([one], { rows: 24, columns: 80 }).opens().waits().types("f");
    expect(top(person.types("jjk"))).toBe(1);
    const end = top(person.types(" ".repeat(50)));
    expect(end).toBeGreaterThan(70);
    expect(top(person.types("j"))).toBe(end);
    expect(top(person.types("k".repeat(500)))).toBe(0);
    expect([person.types("o").answers, person.types("f").state.view]).toMatchObject([[], { step: { kind: "read" } }]);
  });
});

describe("the list", () => {
  const ids = (state: WatchState) => state.groups.map(({ first }) => first.id);
  const under = (person: Person) => person.state.groups.find(({ key }) => key === person.state.selected)?.first.id;

  test("j and k move, and stop at the ends", () => {
    const person = new Person([request(1), request(2), request(3)]);
    expect(under(person.types("k"))).toBe(request(1).id);
    expect(under(person.types("jjjj"))).toBe(request(3).id);
    expect(under(person.types("k"))).toBe(request(2).id);
    expect(under(person.types("g"))).toBe(request(1).id);
  });

  test("what is new comes last, so that nothing moves under the cursor", () => {
    const person = new Person([request(1), request(2)]).types("j").sees({ kind: "arrived", pending: request(3) });
    expect([ids(person.state), under(person)]).toEqual([[1, 2, 3].map((number) => request(number).id), request(2).id]);
  });

  test("when what the cursor was on goes away, its neighbour gets the cursor", () => {
    const person = new Person([request(1), request(2), request(3)]).types("j");
    person.sees({ kind: "settled", id: request(2).id, how: "expired" });
    expect(under(person)).toBe(request(3).id);
    person.sees({ kind: "settled", id: request(3).id, how: "expired" });
    expect(under(person)).toBe(request(1).id);
  });

  test.each(["o", "a", "t", "d"])("%s in the list only opens the request: a line may be cut", (key) => {
    const person = new Person([request(1)]).types(key);
    expect([person.answers, person.state.view.kind]).toEqual([[], "prompt"]);
  });

  test("an answer that the daemon refused is said, and can be given again", () => {
    const person = new Person([request(1)]).opens().waits().types("o");
    expect(person.state.answering.size).toBe(1);
    person.sees({ kind: "answered", id: request(1).id, how: "", failure: "the disk is full" });
    expect([person.state.notice, person.state.answering.size, person.state.pending.size]).toEqual(["the disk is full", 0, 1]);
    expect(person.opens().waits().types("o").answers).toHaveLength(2);
  });

  test("an answer says more than the event that came before it, and is what is remembered", () => {
    const person = new Person([request(1)]);
    person.sees({ kind: "settled", id: request(1).id, how: "allowed" });
    person.sees({ kind: "answered", id: request(1).id, how: "allowed 3 times", failure: null });
    expect(person.state.recent.map(({ how }) => how)).toEqual(["allowed 3 times"]);
  });

  test("what is being answered is not sent twice", () => {
    const person = new Person([request(1)]).opens().waits().types("o").opens().waits().types("o");
    expect(person.answers).toHaveLength(1);
  });

  test("the same event twice is one request", () => {
    const person = new Person([]).sees({ kind: "arrived", pending: request(1) }).sees({ kind: "arrived", pending: request(1) });
    expect([person.state.pending.size, person.effects.length]).toEqual([1, 1]);
  });

  test("remembers a bounded number of what was before", () => {
    const person = new Person(Array.from({ length: WATCH_RECENT_MAX + 5 }, (_, index) => request(index)));
    for (const id of person.state.pending.keys()) person.sees({ kind: "settled", id, how: "expired" });
    expect(person.state.recent).toHaveLength(WATCH_RECENT_MAX);
  });

  test("q and control-c leave, from anywhere but a text for the second", () => {
    expect(new Person([request(1)]).types("q").effects).toEqual([{ kind: "quit" }]);
    expect(new Person([request(1)]).opens().waits().types("d\u0003").effects).toContainEqual({ kind: "quit" });
  });
});
