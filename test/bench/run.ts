/**
 * `make bench [ARGS=--json] [STRICT=1]`: every promised ratio, measured on this machine in one go, as medians of interleaved rounds. Without
 * STRICT a missed one is only said.
 */
import { exitOnSignals } from "../support/exit-on-signals.ts";
import { measureConsuming } from "./consuming.ts";
import { measureHookCall } from "./hook-call.ts";
import { measureLaunching } from "./launching.ts";
import { measureLookingUp } from "./looking-up.ts";
import { type Finding, isMet } from "./numbers.ts";
import { measureResting } from "./resting.ts";
import { measureToolPolicy } from "./tool-policy.ts";

const json = process.argv.includes("--json");

async function main(): Promise<void> {
  const { findings: launching, absent } = await measureLaunching();
  const findings = [
    ...launching,
    await measureConsuming(),
    measureLookingUp(),
    ...measureToolPolicy(),
    ...(await measureResting()),
    await measureHookCall(),
  ];
  const missed = findings.filter((finding) => !isMet(finding));
  if (json) {
    const rows = findings.map((finding) => ({ ...finding, met: isMet(finding) }));
    console.log(JSON.stringify({ node: process.version, absent, findings: rows, missed: missed.length }, null, 2));
  } else {
    for (const finding of findings) console.log(row(finding));
    for (const name of absent) console.log(`${name}: absent, or may not be used here`);
    console.log(missed.length === 0 ? "every promise is kept" : `${missed.length} of ${findings.length} promises are missed here`);
  }
  process.exitCode = missed.length > 0 && process.env["STRICT"] === "1" ? 1 : 0;
}

function row(finding: Finding): string {
  const { name, value, unit, limit, detail } = finding;
  const promised = limit === null ? "" : `${limit.at === "most" ? "≤" : "≥"} ${limit.value}`;
  const verdict = limit === null ? "     " : isMet(finding) ? "kept " : "MISS ";
  return `${verdict} ${name.padEnd(52)} ${value.toFixed(2).padStart(8)} ${unit.padEnd(2)} ${promised.padEnd(7)}  ${detail}`;
}

exitOnSignals();
await main();
