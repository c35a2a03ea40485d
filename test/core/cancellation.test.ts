import { expect, test } from "vitest";
import { createCancellation } from "../../src/core/cancellation.ts";

test("tells everyone who listens, in order and once", () => {
  const cancellation = createCancellation();
  const { signal } = cancellation;
  const told: string[] = [];
  signal.addEventListener("abort", () => told.push("first"));
  signal.addEventListener("abort", () => told.push("second"), { once: true });
  expect(signal.aborted).toBe(false);
  cancellation.cancel();
  cancellation.cancel();
  expect(signal.aborted).toBe(true);
  expect(told).toEqual(["first", "second"]);
});

test("does not tell whoever stopped listening, nor whoever begins when it is over", () => {
  const cancellation = createCancellation();
  const { signal } = cancellation;
  const told: string[] = [];
  const left = (): void => void told.push("left");
  signal.addEventListener("abort", left);
  signal.removeEventListener("abort", left);
  signal.addEventListener("abort", () => signal.removeEventListener("abort", later));
  const later = (): void => void told.push("taken off by another listener");
  signal.addEventListener("abort", later);
  cancellation.cancel();
  signal.addEventListener("abort", () => told.push("late"));
  expect(told).toEqual([]);
});

test("a listener that fails keeps nobody from hearing, and its failure is not lost", () => {
  const cancellation = createCancellation();
  const { signal } = cancellation;
  const told: string[] = [];
  signal.addEventListener("abort", () => {
    throw new Error("of the first");
  });
  signal.addEventListener("abort", () => told.push("second"));
  expect(() => cancellation.cancel()).toThrow("of the first");
  expect(told).toEqual(["second"]);
});
