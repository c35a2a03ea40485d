/** `countersign doctor`: looks at everything the daemon rests on, says how it is, and with `--fix` mends what is only a matter of modes. */

import { resolve } from "node:path";
import { errnoOf } from "../../store/io-denial.ts";
import { visibleText } from "../../wire/visible.ts";
import type { CommandCall } from "../command.ts";
import { counted } from "../counted.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { tell } from "../tell.ts";
import { checkLog } from "./check-log.ts";
import { checkMachine } from "./check-machine.ts";
import { checkPolicy } from "./check-policy.ts";
import { checkService } from "./check-service.ts";
import { checkSocket } from "./check-socket.ts";
import { checkState } from "./check-state.ts";
import { type Finding, type Mended, mended } from "./finding.ts";
import { type Ground, groundOf } from "./ground.ts";
import { findingLines } from "./render-findings.ts";

export async function run(call: CommandCall): Promise<number> {
  const first = await lookAround(call);
  const fixing = call.has("fix");
  const reported = mended(first, fixing);
  // What was mended may have hidden something else, so it is looked at again, and that is what counts.
  const now = fixing && reported.some(({ fixed }) => fixed === true) ? mended(await lookAround(call), false) : reported;
  const fixed = reported.filter((finding) => finding.fixed === true);
  const failing = now.filter(({ level }) => level === "fails");
  if (call.has("json")) call.io.out(JSON.stringify({ ok: failing.length === 0, findings: now, fixed }));
  else show(call, now, fixed);
  return failing.length === 0 ? EXIT.ok : EXIT.general;
}

async function lookAround(call: CommandCall): Promise<readonly Finding[]> {
  const ground = groundOf(call);
  const root = resolve(call.io.cwd, call.text("root") ?? "/");
  const checks: readonly (readonly [string, (ground: Ground) => readonly Finding[] | Promise<readonly Finding[]>])[] = [
    ["state directory", checkState],
    ["daemon", checkSocket],
    ["policy", checkPolicy],
    ["log", checkLog],
    ["machine", checkMachine],
    ["service", (given) => checkService(given, root)],
  ];
  const found: Finding[] = [];
  for (const [about, check] of checks) {
    try {
      found.push(...(await check(ground)));
    } catch (error) {
      // What cannot be looked at is not in order.
      const why = errnoOf(error) ?? (error instanceof Error ? error.message : String(error));
      found.push({
        about,
        level: "fails",
        message: `it cannot be looked at (${why})`,
        remedy: "run the doctor as the daemon's own user, who must be able to enter it",
      });
    }
  }
  return found;
}

function show(call: CommandCall, findings: readonly Mended[], fixed: readonly Mended[]): void {
  const { io } = call;
  const paint = painter(io.colour);
  for (const { path, message } of fixed) tell(io, `${paint.green("fixed")}  ${visibleText(path ?? message)}`);
  if (fixed.length > 0) io.out("");
  for (const line of findingLines(findings, paint, io.columns())) io.out(line);
  io.out("");
  tell(io, verdictOf(findings));
}

function verdictOf(findings: readonly Mended[]): string {
  const [fails, weak, notes] = (["fails", "weak", "note"] as const).map((level) => findings.filter((each) => each.level === level).length);
  if (fails !== undefined && fails > 0) return `${fails} to mend before it works`;
  if (weak !== undefined && weak > 0) return `it works; ${weak} could be stronger`;
  if (notes !== undefined && notes > 0) return `nothing is wrong; ${counted(notes, "note")}`;
  return "everything is in order";
}
