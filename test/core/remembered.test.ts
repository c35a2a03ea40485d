import { describe, expect, test } from "vitest";
import { REMEMBERED_CHARS_MAX, REMEMBERED_WORDS_MAX } from "../../src/core/limits.ts";
import { remembered } from "../../src/core/remembered.ts";

function counting(): { readonly ask: (word: string) => string; readonly asked: string[] } {
  const asked: string[] = [];
  const ask = remembered((word) => {
    asked.push(word);
    return word.toUpperCase();
  });
  return { ask, asked };
}

describe("a function that remembers", () => {
  test("answers as the function itself, and works each word out once", () => {
    const { ask, asked } = counting();
    expect(["ls", "git", "ls", "ls"].map(ask)).toEqual(["LS", "GIT", "LS", "LS"]);
    expect(asked).toEqual(["ls", "git"]);
  });

  test("keeps no long word", () => {
    const { ask, asked } = counting();
    const long = "x".repeat(REMEMBERED_CHARS_MAX + 1);
    expect([ask(long), ask(long)]).toEqual([long.toUpperCase(), long.toUpperCase()]);
    expect(asked).toHaveLength(2);
  });

  test("keeps no more words than it may, and forgets all of them at once", () => {
    const { ask, asked } = counting();
    for (let index = 0; index <= REMEMBERED_WORDS_MAX; index += 1) ask(`word${index}`);
    expect(ask("word0")).toBe("WORD0");
    expect(asked.filter((word) => word === "word0")).toHaveLength(2);
    expect(ask("word0")).toBe("WORD0");
    expect(asked).toHaveLength(REMEMBERED_WORDS_MAX + 2);
  });
});
