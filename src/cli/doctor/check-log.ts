/** Whether the log is whole: a daemon does not start on one that was changed, and one that runs already does not read it again. */
import { existsSync } from "node:fs";
import { verifyChain } from "../../audit/verify-chain.ts";
import { problemText } from "../audit/verify.ts";
import type { Finding } from "./finding.ts";
import type { Ground } from "./ground.ts";

const ABOUT = "log";

export async function checkLog({ paths }: Ground): Promise<readonly Finding[]> {
  if (!existsSync(paths.audit)) return [];
  const { verdict, records, problems } = await verifyChain(paths.audit);
  const [first] = problems;
  if (first === undefined) {
    const message = verdict === "empty" ? "empty" : `${records} ${records === 1 ? "record" : "records"}, none changed or missing`;
    return [{ about: ABOUT, level: "good", message }];
  }
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  const remedy = "`countersign audit verify` says what else; the daemon does not start on it";
  return [{ about: ABOUT, level: "fails", message: `${problemText(first)}${more}`, remedy, path: paths.audit }];
}
