/** `make pictures`: the screens of `watch`, and the demo as it really goes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { svgOf } from "./svg.ts";
import { watchPictures } from "./watch-pictures.ts";

const directory = join(process.cwd(), "docs/pictures");
mkdirSync(directory, { recursive: true });
for (const { name, svg } of watchPictures()) writeFileSync(join(directory, name), svg);

const COLUMNS = 80;
const played = execFileSync(process.execPath, ["build/bin/main.js", "demo", "--fast"], {
  encoding: "utf8",
  env: { ...process.env, FORCE_COLOR: "1" },
});
// Where it played is made up anew each time, and of no interest.
const lines = played
  .trimEnd()
  .replaceAll(/\/tmp\/countersign-demo-\w+/g, "/tmp/demo")
  .split("\n");
writeFileSync(join(directory, "demo.svg"), svgOf(lines, COLUMNS, "make demo: every attack is refused with its code"));
