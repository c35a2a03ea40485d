/** `make documents`: brings what the documents say about the code up to date. */
import { writeFileSync } from "node:fs";
import { protocolDocument } from "./protocol.ts";
import { transcripts } from "./transcripts.ts";
import { documents } from "./written.ts";

for (const { path, found, expected } of [...documents(process.cwd()), protocolDocument(process.cwd(), await transcripts())]) {
  if (found === expected) continue;
  writeFileSync(path, expected);
  process.stdout.write(`wrote ${path}\n`);
}
