/** A whole decision against a list of 100,000 entries, against the same with 10: what is looked up must not grow with the list. */
import { compileRegex } from "../../src/policy/arg-regex.ts";
import { effectiveFor } from "../../src/policy/effective.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";
import { compileRules } from "../../src/policy/rules.ts";
import { satisfy } from "../../src/policy/satisfy.ts";
import { agent, documentOf } from "../policy/judging.ts";
import { plainProgram, planOf, segmentOf, tableMachine } from "../policy/table-machine.ts";
import { atMost, type Finding, median } from "./numbers.ts";

const ROUNDS = 21;
const LOOKUPS = 500;

/** Literal paths, globs that differ in directory, name and tail, and bare names, as a list grows in years. */
function entry(index: number): string {
  const shapes = [
    `/opt/tools/bin/tool-${index}`,
    `/opt/t${index}/**/rg`,
    `/home/u/**/bin/tool-${index}`,
    `/srv/*-${index}`,
    `tool-${index}`,
  ];
  return shapes[index % shapes.length] ?? "";
}

/** The command is the last of the list, and one of its parts is on no list at all: then everything is looked at. */
function lookups(count: number): () => number {
  const machine = tableMachine();
  const allowlist = [...Array.from({ length: count - 1 }, (_, index) => entry(index)), "/usr/bin/rg"];
  const rules = compileRules(
    effectiveFor(documentOf({ version: 1, agents: { main: { allowlist } } }), agent("main")),
    machine,
    compileRegex,
  );
  const plan = planOf([segmentOf(plainProgram("/usr/bin/rg"), ["x"]), segmentOf(plainProgram("/usr/bin/none"), ["y"])]);
  const input = { plan, rules, settings: EXEC_SETTINGS_DEFAULT, machine, hashOf: () => null, usesLeft: () => null, nowMs: 0 };
  return () => {
    const before = performance.now();
    for (let turn = 0; turn < LOOKUPS; turn += 1) satisfy(input);
    return performance.now() - before;
  };
}

export function measureLookingUp(): Finding {
  const [few, many] = [lookups(10), lookups(100_000)];
  const times: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.few.push(few());
    times.many.push(many());
  }
  const us = (values: readonly number[]): number => (median(values.slice(1)) * 1000) / LOOKUPS;
  const [fewUs, manyUs] = [us(times.few), us(times.many)];
  return atMost(
    "look-up among 100,000 entries ÷ among 10",
    manyUs / fewUs,
    10,
    "×",
    `${manyUs.toFixed(1)} µs against ${fewUs.toFixed(1)} µs`,
  );
}
