import { expect, test } from "vitest";
import { LINE_BYTES_MAX, OUTPUT_ESCAPED_BYTES_MAX } from "../../src/core/limits.ts";
import { answerable, createOutputTail } from "../../src/daemon/output-tail.ts";

test("a short output is kept whole", () => {
  const tail = createOutputTail(10);
  tail.push(Buffer.from("abc"));
  tail.push(Buffer.from("def"));
  expect([tail.text(), tail.bytes(), tail.isTruncated()]).toEqual(["abcdef", 6, false]);
});

test("exactly the bound is not truncated, one more is", () => {
  const tail = createOutputTail(4);
  tail.push(Buffer.from("abcd"));
  expect([tail.text(), tail.isTruncated()]).toEqual(["abcd", false]);
  tail.push(Buffer.from("e"));
  expect([tail.text(), tail.bytes(), tail.isTruncated()]).toEqual(["bcde", 5, true]);
});

test("one chunk larger than the bound keeps its end", () => {
  const tail = createOutputTail(3);
  tail.push(Buffer.from("0123456789"));
  expect([tail.text(), tail.bytes()]).toEqual(["789", 10]);
});

test("the cut falls between characters, not inside one", () => {
  const tail = createOutputTail(4);
  tail.push(Buffer.from("€€")); // Three bytes each: the bound falls inside the first.
  expect(tail.text()).toBe("€");
});

test("bytes that are no UTF-8 are replaced and counted as they came", () => {
  const tail = createOutputTail(10);
  tail.push(Buffer.from([0x61, 0xff, 0x62]));
  expect([tail.text(), tail.bytes()]).toEqual(["a\ufffdb", 3]);
});

test.each([
  ["plain text", "a"],
  ["what is escaped", "\0"],
  ["what takes two units", "😀"],
])("an answer carries as much of %s as fits its line, and says that it was cut", (_name, unit) => {
  const tail = createOutputTail(8 * 1024 * 1024);
  tail.push(Buffer.from(unit.repeat(OUTPUT_ESCAPED_BYTES_MAX)));
  const { text, truncated } = answerable(tail);
  const bytes = Buffer.byteLength(JSON.stringify(text));
  expect(truncated).toBe(true);
  expect(bytes).toBeLessThanOrEqual(OUTPUT_ESCAPED_BYTES_MAX);
  expect(bytes).toBeGreaterThan(OUTPUT_ESCAPED_BYTES_MAX * 0.99);
  expect(text).toBe(unit.repeat(text.length / unit.length));
  expect(2 * OUTPUT_ESCAPED_BYTES_MAX).toBeLessThan(LINE_BYTES_MAX - 16 * 1024);
});

test("what fits is told whole", () => {
  const tail = createOutputTail(100);
  tail.push(Buffer.from("abc"));
  expect(answerable(tail)).toEqual({ text: "abc", truncated: false });
});

test("a million small writes hold no more than the bound", () => {
  const tail = createOutputTail(100);
  const one = Buffer.from("0123456789");
  for (let i = 0; i < 1_000_000; i += 1) tail.push(one);
  expect([tail.text().length, tail.bytes()]).toEqual([100, 10_000_000]);
});
