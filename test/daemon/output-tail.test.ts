import { expect, test } from "vitest";
import { createOutputTail } from "../../src/daemon/output-tail.ts";

test("a short output is kept whole", () => {
  const tail = createOutputTail(10);
  tail.push(Buffer.from("abc"));
  tail.push(Buffer.from("def"));
  expect([tail.text(), tail.bytes, tail.truncated]).toEqual(["abcdef", 6, false]);
});

test("exactly the bound is not truncated, one more is", () => {
  const tail = createOutputTail(4);
  tail.push(Buffer.from("abcd"));
  expect([tail.text(), tail.truncated]).toEqual(["abcd", false]);
  tail.push(Buffer.from("e"));
  expect([tail.text(), tail.bytes, tail.truncated]).toEqual(["bcde", 5, true]);
});

test("one chunk larger than the bound keeps its end", () => {
  const tail = createOutputTail(3);
  tail.push(Buffer.from("0123456789"));
  expect([tail.text(), tail.bytes]).toEqual(["789", 10]);
});

test("the cut falls between characters, not inside one", () => {
  const tail = createOutputTail(4);
  tail.push(Buffer.from("€€")); // Three bytes each: the bound falls inside the first.
  expect(tail.text()).toBe("€");
});

test("bytes that are no UTF-8 are replaced and counted as they came", () => {
  const tail = createOutputTail(10);
  tail.push(Buffer.from([0x61, 0xff, 0x62]));
  expect([tail.text(), tail.bytes]).toEqual(["a\ufffdb", 3]);
});

test("a million small writes hold no more than the bound", () => {
  const tail = createOutputTail(100);
  const one = Buffer.from("0123456789");
  for (let i = 0; i < 1_000_000; i += 1) tail.push(one);
  expect([tail.text().length, tail.bytes]).toEqual([100, 10_000_000]);
});
