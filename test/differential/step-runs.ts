import type { ChainPart, CommandStep, Step } from "../../src/analysis/step.ts";

/** Which commands a judged step starts, in order, given how each of them ends: what the daemon's own executor would do with it. */
export function stepRuns(step: Step, statusOf: (name: string) => number): readonly (readonly string[])[] {
  return playStep(step, statusOf).runs;
}

interface Played {
  readonly runs: readonly (readonly string[])[];
  readonly status: number;
}

function playStep(step: Step, statusOf: (name: string) => number): Played {
  switch (step.kind) {
    case "nothing":
      return { runs: [], status: 0 };
    case "command": {
      const words = innermost(step);
      return { runs: [words], status: statusOf(words[0] ?? "") };
    }
    case "chain":
      return playChain(step.parts, statusOf);
  }
}

function playChain(parts: readonly ChainPart[], statusOf: (name: string) => number): Played {
  const runs: (readonly string[])[] = [];
  let skipping = false;
  let status = 0;
  let before: ChainPart["operator"] = null;
  for (const { step, operator } of parts) {
    if (before === "&&") skipping = status !== 0;
    else if (before === "||") skipping = status === 0;
    else if (before !== "|") skipping = false;
    before = operator;
    if (skipping) continue;
    const played = playStep(step, statusOf);
    runs.push(...played.runs);
    if (operator !== "|") status = played.status;
  }
  return { runs, status };
}

/** Without the wrappers in front: the name of the innermost program, the directory it starts in, and its words. */
function innermost({ argv, carried, cwd }: CommandStep): readonly string[] {
  const [name = "", ...words] = carried === null ? argv : argv.slice(carried.index);
  return [name.slice(name.lastIndexOf("/") + 1), cwd, ...words];
}
