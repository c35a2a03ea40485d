/** `make documents`: brings the generated tables of the root documents up to date. */
import { writeFileSync } from "node:fs";
import { documents } from "./written.ts";

for (const { path, found, expected } of documents(process.cwd())) {
  if (found === expected) continue;
  writeFileSync(path, expected);
  process.stdout.write(`wrote ${path}\n`);
}
