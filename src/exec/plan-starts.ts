/** Decides about every process of a run before the first is started, so that a refusal means that nothing was. */
import { closeSync } from "node:fs";
import type { CommandStep, Step } from "../analysis/step.ts";
import type { VerifiedExec } from "../binding/verify.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { EnforcementLevel } from "../policy/exec-settings.ts";
import { type StartContext, startOf } from "./command-start.ts";
import { isBelow, lowestOf, type Start } from "./start.ts";

export interface Starts {
  of(step: CommandStep): Start;
  readonly level: EnforcementLevel;
  release(): void;
}

export function planStarts(verified: VerifiedExec, context: StartContext, demanded: EnforcementLevel | null): Result<Starts, Denial> {
  const starts = new Map<CommandStep, Start>();
  const release = (): void => {
    for (const { copies } of starts.values()) for (const fd of copies) closeSync(fd);
  };
  try {
    for (const step of commandsIn(verified.step)) {
      const start = startOf(step, context);
      if (!start.ok) {
        release();
        return start;
      }
      starts.set(step, start.value);
    }
  } catch (error) {
    release();
    throw error;
  }
  const level = lowestOf([...[...starts.values()].map((start) => start.level), ...levelsOfTheRest(verified, starts, context)]);
  if (demanded !== null && isBelow(level, demanded)) {
    release();
    return fail(tooLow(level, demanded));
  }
  return ok({
    level,
    release,
    of(step) {
      const start = starts.get(step);
      if (start === undefined) throw new Error("a step that was not planned was about to start");
      return start;
    },
  });
}

/** What was hashed and is opened by somebody else, by its name: a makefile, a program that an approved shell text starts. */
function levelsOfTheRest(
  { evidence }: VerifiedExec,
  starts: ReadonlyMap<CommandStep, Start>,
  { held }: StartContext,
): readonly EnforcementLevel[] {
  const covered = [...starts.values()].map((start) => start.covered);
  const isExact = ({ path }: (typeof evidence.nested)[number]): boolean =>
    covered.some((paths) => paths.has(path)) || held.files.get(path)?.kept === "permission";
  return [...evidence.nested, ...evidence.files].every(isExact) ? [] : ["checked"];
}

function tooLow(level: EnforcementLevel, demanded: EnforcementLevel): Denial {
  return denial(
    "exec.enforcement-too-low",
    `this can be run at \`${level}\` only, and \`tools.exec.minEnforcement\` demands \`${demanded}\`; lower it or change the command`,
    { level, demanded },
  );
}

function commandsIn(step: Step): readonly CommandStep[] {
  switch (step.kind) {
    case "nothing":
      return [];
    case "command":
      return [step];
    case "chain":
      return step.parts.flatMap((part) => commandsIn(part.step));
  }
}
