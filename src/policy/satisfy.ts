import type { CommandPlan, Segment } from "../analysis/command-plan.ts";
import type { Machine, Program } from "../analysis/machine.ts";
import type { Step } from "../analysis/step.ts";
import { type AbsolutePath, parseAbsolutePath } from "../core/absolute-path.ts";
import type { Sha256 } from "../core/sha256.ts";
import type { ExecSettings } from "./exec-settings.ts";
import { type MatchContext, matchAllowlist, trustedDirectories } from "./match.ts";
import type { CompiledRules } from "./rules.ts";
import { objectionToSafeBin } from "./safe-bins.ts";

/** What the lists say about a whole command: every segment satisfied, each by something named, or the first that is not, and why. */
export type Satisfaction =
  | { readonly ok: true; readonly by: readonly MatchedBy[] }
  | { readonly ok: false; readonly reason: string; readonly segment: Segment | null };

export interface MatchedBy {
  readonly kind: "allowlist" | "safe-bin" | "skill" | "full";
  readonly pattern: string;
  /** Where it was read: `agents.main.allowlist[0]`. */
  readonly source: string;
  /** The allowlist entry's key, under which uses are counted and written down. */
  readonly entry: string | null;
  /** The executable or script that it was found to mean. */
  readonly path: AbsolutePath | null;
}

export interface SatisfyInput {
  readonly plan: CommandPlan;
  readonly rules: CompiledRules;
  readonly settings: ExecSettings;
  readonly machine: Machine;
  /** Of what was opened, by canonical path. */
  hashOf(path: AbsolutePath): Sha256 | null;
  /** How many uses an entry has left, `null` when they are not counted. */
  usesLeft(key: string): number | null;
  readonly nowMs: number;
}

/** One segment, and what covers it or why nothing does. */
export type SegmentFinding =
  | { readonly segment: Segment; readonly by: MatchedBy; readonly why: null }
  | { readonly segment: Segment; readonly by: null; readonly why: string };

/** Every segment of an analysed command, also those behind the first that is not covered: for whoever wants to know all of it. */
export function findingsOf(input: SatisfyInput): readonly SegmentFinding[] {
  const { analysis } = input.plan;
  const context = contextOf(input);
  return (analysis.ok ? analysis.segments : []).map((segment): SegmentFinding => {
    const found = satisfySegment(segment, input, context);
    return typeof found === "string" ? { segment, by: null, why: found } : { segment, by: found, why: null };
  });
}

function contextOf(input: SatisfyInput): MatchContext {
  return {
    machine: input.machine,
    trustedDirectories: trustedDirectories(input.settings.safeBinTrustedDirs, input.machine),
    hashOf: (path) => input.hashOf(path),
    usesLeft: (key) => input.usesLeft(key),
    now: input.nowMs,
  };
}

export function satisfy(input: SatisfyInput): Satisfaction {
  const { analysis } = input.plan;
  if (!analysis.ok) return miss(analysis.refusal.message, null);
  // Every command that would start was judged as a segment, or nothing starts at all.
  if (analysis.segments.length === 0 && startsSomething(analysis.asJudged)) return miss("nothing of it could be judged", null);
  const context = contextOf(input);
  const by: MatchedBy[] = [];
  for (const segment of analysis.segments) {
    const found = satisfySegment(segment, input, context);
    if (typeof found === "string") return miss(found, segment);
    by.push(found);
  }
  return { ok: true, by };
}

/** What satisfies a segment, or why nothing does. */
function satisfySegment(segment: Segment, input: SatisfyInput, context: MatchContext): MatchedBy | string {
  const { program, argv } = segment;
  if (segment.never !== null) return segment.never;
  if (program === null) return `\`${argv[0]}\` does not resolve to an executable`;
  const match = matchAllowlist(segment, input.rules, context);
  if (match !== null) {
    const { pattern, source, key } = match.entry;
    return { kind: "allowlist", pattern, source, entry: key, path: match.path };
  }
  if (segment.carries !== null) return `${segment.carries}, which an entry for the program alone does not cover`;
  const objection = objectionToSafeBin(argv, program, input.settings, context.trustedDirectories);
  if (objection === null) {
    return { kind: "safe-bin", pattern: argv[0], source: "tools.exec.safeBins", entry: null, path: program.realPath };
  }
  const skill = skillFor(program, input);
  if (skill !== null) return { kind: "skill", pattern: skill, source: "tools.exec.skillBins", entry: null, path: program.realPath };
  const isSafeBin = input.settings.safeBins.includes(argv[0]);
  return isSafeBin
    ? `\`${argv[0]}\` is on no list, and is no safe bin here: ${objection}`
    : `\`${argv[0]}\` (${program.realPath}) is on no list`;
}

/** Called by the name that the skill registered and found at the path that it registered: neither is enough alone. */
function skillFor(program: Program, { rules, settings, machine }: SatisfyInput): string | null {
  const { value, source } = rules.policy.autoAllowSkills;
  const isOn = value || (settings.autoAllowSkills && !source.startsWith("agents"));
  if (!isOn) return null;
  const skill = settings.skillBins.find(({ name, path }) => {
    const registered = parseAbsolutePath(path);
    if (program.word !== name || !registered.ok) return false;
    if (program.realPath === registered.value) return true;
    return program.linksAreRoots && machine.realPath(registered.value) === program.realPath;
  });
  return skill?.name ?? null;
}

function startsSomething(step: Step): boolean {
  switch (step.kind) {
    case "command":
      return true;
    case "chain":
      return step.parts.some((part) => startsSomething(part.step));
    case "nothing":
      return false;
  }
}

function miss(reason: string, segment: Segment | null): Satisfaction {
  return { ok: false, reason, segment };
}
