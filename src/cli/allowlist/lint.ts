/** `countersign allowlist lint`: what a careful person would ask about each entry. Reads the files themselves, so no daemon is needed. */
import type { Finding } from "../../policy/lint.ts";
import { shownWord } from "../../wire/display.ts";
import { visibleText } from "../../wire/visible.ts";
import type { CommandCall } from "../command.ts";
import { groundOf } from "../doctor/ground.ts";
import { EXIT } from "../exit-code.ts";
import { must } from "../must.ts";
import { type Paint, painter } from "../paint.ts";
import { wrapped } from "../width.ts";
import { allowlistFindings, LOUD } from "./findings.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const ground = groundOf(call);
  const findings = ground.document === null ? [] : must(await allowlistFindings(must(ground.document), ground));
  if (call.has("json")) {
    io.out(JSON.stringify({ findings }));
  } else if (findings.length === 0) {
    io.out("nothing to say against any entry");
  } else {
    const paint = painter(io.colour);
    for (const finding of findings) for (const line of findingLines(finding, paint, io.columns())) io.out(line);
  }
  return findings.length === 0 ? EXIT.ok : EXIT.general;
}

function findingLines({ pattern, source, kind, message }: Finding, paint: Paint, columns: number): readonly string[] {
  const ink = LOUD.has(kind) ? paint.red : paint.yellow;
  const head = `${paint.bold(shownWord(pattern))}  ${ink(kind)}  ${paint.dim(source)}`;
  return [...wrapped(head, columns, "  "), ...wrapped(visibleText(message), columns - 4).map((line) => `    ${line}`)];
}
