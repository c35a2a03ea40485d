import type { ChainReport } from "../../client/results.ts";
import { visibleText } from "../../wire/visible.ts";
import type { CommandCall } from "../command.ts";
import { counted } from "../counted.ts";
import { EXIT } from "../exit-code.ts";
import { type Paint, painter } from "../paint.ts";
import { tell } from "../tell.ts";
import { auditSource } from "./source.ts";

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  const source = await auditSource(call);
  const report = await source.verify();
  if (call.has("json")) io.out(JSON.stringify(report));
  else for (const line of reportLines(report, source.from, painter(io.colour))) tell(io, line, "    ");
  return report.verdict === "tampered" ? EXIT.general : EXIT.ok;
}

export function reportLines(report: ChainReport, from: string, paint: Paint): readonly string[] {
  const { verdict, segments, records, head, torn, problems } = report;
  const size = `${counted(records, "record")} in ${counted(segments, "file")}, read ${from}`;
  const newest = [`  newest   #${head.seq}`, `  sha256   ${head.hash}`];
  switch (verdict) {
    case "empty":
      return ["the log is empty"];
    case "intact":
      return [`${paint.green("intact")}: ${size}`, ...newest];
    case "torn": {
      const where = torn === null || torn === undefined ? "the end" : `${torn.segment}, line ${torn.line},`;
      return [`${paint.yellow("intact up to a torn end")}: ${size}`, `  ${where} was never finished, as a crash leaves it`, ...newest];
    }
    case "tampered":
      return [
        `${paint.red("NOT INTACT")}: ${size}`,
        ...problems.map((problem) => `  ${visibleText(problemText(problem))}`),
        "keep the files as they are, and compare what is named with a backup",
        "a daemon does not start on this log; with the directory moved away it begins a new one, in which open approvals are " +
          "forgotten and grants and gateways' tokens count their uses anew",
      ];
  }
}

/** Line 0 is a file of which nothing is left. */
export function problemText({ segment, line, what }: ChainReport["problems"][number]): string {
  return line === 0 ? `${segment} ${what}` : `${segment}, line ${line}, ${what}`;
}
