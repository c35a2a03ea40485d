import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runsOf, svgOf } from "./svg.ts";
import { watchPictures } from "./watch-pictures.ts";

describe("a picture of a terminal", () => {
  test("keeps columns, colours and weight", () => {
    const [first, second, third] = runsOf("ab \u001b[1m\u001b[31mred\u001b[39m bold\u001b[22m end");
    expect(first).toMatchObject({ column: 0, text: "ab", style: { bold: false } });
    expect(second).toMatchObject({ column: 3, text: "red", style: { bold: true, colour: "#f87171" } });
    expect(third).toMatchObject({ column: 7, text: "bold", style: { bold: true, colour: "#d4d4d8" } });
  });

  test("escapes what XML would read as markup", () => {
    expect(svgOf(["<script> & co"], 20, "a < b")).toContain("&lt;script&gt; &amp; co");
    expect(svgOf([], 20, "a < b")).toContain("<title>a &lt; b</title>");
  });
});

describe("the pictures in the README", () => {
  // The requests in them were allowed at a moment, which is shown in the reader's zone.
  beforeAll(() => {
    process.env["TZ"] = "UTC";
  });

  test.each(["watch.svg", "request.svg"])("%s is what watch draws today; otherwise run make pictures", (name) => {
    const drawn = watchPictures().find((picture) => picture.name === name)?.svg;
    expect(readFileSync(join(import.meta.dirname, "../../docs/pictures", name), "utf8")).toBe(drawn);
  });
});
