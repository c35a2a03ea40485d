/** `make pictures`: the screens of `watch`, and the demo as it really goes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openScreen } from "../support/tmux.ts";
import { svgOf } from "./svg.ts";
import { watchPictures } from "./watch-pictures.ts";

const directory = join(process.cwd(), "docs/pictures");
mkdirSync(directory, { recursive: true });
for (const { name, svg } of watchPictures()) writeFileSync(join(directory, name), svg);

const COLUMNS = 80;
// Folded as in a terminal, for in a pipe nothing is.
const screen = openScreen([process.execPath, "build/bin/main.js", "demo", "--fast"], { columns: COLUMNS });
await screen.shows("ended with", 60_000);
const played = screen.everything({ colours: true }).replace(/\n.*ended with \d+$/, "");
screen.close();
// Where it played is made up anew each time, and of no interest.
const lines = played
  .trimEnd()
  .replaceAll(/\/tmp\/countersign-demo-\w+/g, "/tmp/demo")
  .split("\n");
writeFileSync(join(directory, "demo.svg"), svgOf(lines, COLUMNS, "make demo: every attack is refused with its code"));
