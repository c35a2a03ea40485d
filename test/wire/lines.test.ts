import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { INCOMING_LONG_BYTES, LINE_BYTES_MAX } from "../../src/core/limits.ts";
import { lineSplitter } from "../../src/wire/lines.ts";

function split(chunks: readonly Uint8Array[], bytesMax?: number): readonly string[] {
  const splitter = lineSplitter(bytesMax);
  const found: string[] = [];
  for (const chunk of chunks) {
    splitter.push(chunk);
    for (let line = splitter.next(); line !== null; line = splitter.next()) found.push(line.ok ? line.value : line.failure.code);
  }
  return found;
}
const text = (sent: string): Uint8Array => Buffer.from(sent, "utf8");

describe("lines", () => {
  test("an unfinished line is not a line", () => {
    expect(split([text("a\nb")])).toEqual(["a"]);
  });

  test("an empty line is a line", () => {
    expect(split([text("\n\n")])).toEqual(["", ""]);
  });

  test("carriage returns, byte order marks and NUL are kept: what they mean is not decided here", () => {
    expect(split([text("\ufeffa\0\r\n")])).toEqual(["\ufeffa\0\r"]);
  });

  test("a line as long as the limit is taken, one byte more is not, whether it arrives whole or in pieces", () => {
    for (const size of [1 << 20, 65_536, 1000]) {
      const line = new Uint8Array(LINE_BYTES_MAX + 2).fill(0x61);
      const pieces = (bytes: Uint8Array): Uint8Array[] =>
        Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
      line[LINE_BYTES_MAX] = 0x0a;
      expect(split(pieces(line.slice(0, LINE_BYTES_MAX + 1))).map((found) => found.length)).toEqual([LINE_BYTES_MAX]);
      line[LINE_BYTES_MAX] = 0x61;
      line[LINE_BYTES_MAX + 1] = 0x0a;
      expect(split(pieces(line))).toEqual(["wire.line-too-long"]);
    }
  });

  test("the limit counts bytes, not characters", () => {
    expect(split([text("éé\n")], 4)).toEqual(["éé"]);
    expect(split([text("ééx\n")], 4)).toEqual(["wire.line-too-long"]);
  });

  test("nothing comes after an overlong line, and nothing is kept of it", () => {
    expect(split([text("123456"), text("\nok\n")], 5)).toEqual(["wire.line-too-long"]);
  });

  test.each([
    ["a stray byte", [0xff]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a cut character", [0xc3]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
  ])("%s is refused and the next line is read", (_, bytes) => {
    expect(split([Buffer.from(["{".charCodeAt(0), ...bytes, 0x0a]), text("ok\n")])).toEqual(["wire.bad-utf8", "ok"]);
  });

  test("a million single bytes cost no more than their bytes", () => {
    const splitter = lineSplitter();
    const started = performance.now();
    const before = process.memoryUsage().arrayBuffers;
    const one = text("x");
    for (let sent = 0; sent < LINE_BYTES_MAX; sent += 1) {
      splitter.push(one);
      if (splitter.next() !== null) throw new Error("no line has ended");
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * LINE_BYTES_MAX);
    expect(performance.now() - started).toBeLessThan(5000);
    splitter.push(text("\n"));
    expect(splitter.next()).toMatchObject({ ok: true });
  });

  test("however the bytes are cut, the same lines come out", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 20 }).map((line) => line.replaceAll("\n", ""))),
        fc.array(fc.nat(40)),
        (lines, cuts) => {
          const bytes = text(lines.map((line) => `${line}\n`).join(""));
          const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
          expect(split(places.map((place, index) => bytes.subarray(place, Math.max(place, places[index + 1] ?? bytes.length))))).toEqual(
            lines,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test("what is held is counted until its line comes out, and is never much more than was sent", () => {
    const splitter = lineSplitter();
    expect(splitter.heldBytes()).toBe(0);
    for (let sent = 1000; sent <= LINE_BYTES_MAX; sent += 1000) {
      splitter.push(new Uint8Array(1000).fill(0x61));
      expect(splitter.heldBytes()).toBeGreaterThanOrEqual(1000);
      expect(splitter.next()).toBeNull();
      expect(splitter.heldBytes()).toBeGreaterThanOrEqual(sent);
      expect(splitter.heldBytes()).toBeLessThanOrEqual(sent + Math.max(4096, Math.min(sent + 4096, 64 * 1024)));
    }
    splitter.push(text("\nrest\n"));
    expect(splitter.next()).toMatchObject({ ok: true });
    expect(splitter.heldBytes()).toBe("rest\n".length);
    expect(splitter.next()).toEqual({ ok: true, value: "rest" });
    expect(splitter.heldBytes()).toBe(0);
  });

  test("a line of 60 KiB does not count as long", () => {
    const splitter = lineSplitter();
    splitter.push(new Uint8Array(60 * 1024).fill(0x61));
    expect(splitter.next()).toBeNull();
    expect(splitter.heldBytes()).toBeLessThan(INCOMING_LONG_BYTES);
  });

  test("a splitter that is ended holds nothing and takes nothing", () => {
    const splitter = lineSplitter();
    splitter.push(text("begun"));
    expect(splitter.next()).toBeNull();
    splitter.push(text(" and waiting\n"));
    splitter.end();
    splitter.push(text("late\n"));
    expect(splitter.heldBytes()).toBe(0);
    expect(splitter.next()).toBeNull();
  });

  test("however the bytes are cut, nothing is held once every line has come out", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9000 })), (chunks) => {
        const splitter = lineSplitter();
        for (const chunk of [...chunks, text("\n")]) {
          splitter.push(chunk);
          while (splitter.next() !== null);
        }
        expect(splitter.heldBytes()).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  test("no bytes throw", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (chunks) => {
        split(chunks, 16);
      }),
      { numRuns: 300 },
    );
  });
});
