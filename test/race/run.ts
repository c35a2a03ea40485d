/**
 * `make race N=…`: every attack against N launches by the baseline and by the daemon at each level, attacker and daemon under one
 * unprivileged uid. Fails on a single unapproved launch at `sealed`, and where the baseline lost none: then the attack proves nothing.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { exitOnSignals } from "../support/exit-on-signals.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { leaveRoot } from "../support/unprivileged.ts";
import type { Arena } from "./arena.ts";
import { ATTACKS, type Attack } from "./attacks.ts";
import { duel, type Score } from "./duel.ts";
import { baseline, daemonAt, type Level } from "./opponents.ts";

const LAUNCHES_DEFAULT = 200;
const LEVELS: readonly Level[] = ["baseline", "pinned", "sealed"];

async function main(): Promise<void> {
  const json = process.argv.includes("--json");
  const launches = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? LAUNCHES_DEFAULT);
  const wanted = listed("--levels=");
  const attacks = listed("--attacks=");
  const scratch = scratchDirectory();
  const stages = ATTACKS.filter(({ name }) => attacks === undefined || attacks.includes(name)).map((attack, index) => ({
    attack,
    directory: join(scratch.path, String(index)),
  }));
  const scores: Score[] = [];
  try {
    for (const level of LEVELS.filter((each) => wanted === undefined || wanted.includes(each))) {
      const arenas = stages.map(({ attack, directory }) => ({ attack, arena: arenaAt(attack, join(directory, level)) }));
      const path = arenas.flatMap(({ arena }) => arena.path);
      const opponent = level === "baseline" ? baseline : await daemonAt(level, path);
      for (const { attack, arena } of arenas) {
        scores.push(await duel(attack, arena, opponent, launches));
        if (!json) console.log(line(scores.at(-1)));
        arena.close();
      }
      await opponent.stop();
    }
  } finally {
    scratch.remove();
  }
  const complaints = scores.flatMap(complaint);
  if (json) console.log(JSON.stringify({ launches, scores, complaints }));
  else console.log([table(scores), ...complaints].join("\n"));
  process.exitCode = complaints.length === 0 ? 0 : 1;
}

/** `--attacks=rename over,PATH shadow`; all of them when it is not there. */
function listed(flag: string): readonly string[] | undefined {
  const word = process.argv.find((each) => each.startsWith(flag));
  return word?.slice(flag.length).split(",");
}

function arenaAt(attack: Attack, directory: string): Arena {
  mkdirSync(directory, { recursive: true });
  return attack.arena(directory);
}

function complaint({ attack, level, unapproved, ran }: Score): readonly string[] {
  if (level === "sealed" && unapproved > 0) return [`${attack}: ${unapproved} of ${ran} launches ran what nobody approved`];
  if (level === "baseline" && unapproved === 0) return [`${attack}: the baseline lost none of ${ran}; the attack is not known to work`];
  return ran === 0 ? [`${attack}: everything was refused at ${level}; nothing was shown`] : [];
}

function line(score: Score | undefined): string {
  if (score === undefined) return "";
  const { attack, level, ran, refused, unapproved } = score;
  return `${level.padEnd(9)} ${attack.padEnd(26)} ${unapproved}/${ran} unapproved (${refused} refused)`;
}

function table(scores: readonly Score[]): string {
  const cell = (attack: string, level: Level): string => {
    const score = scores.find((one) => one.attack === attack && one.level === level);
    return (score === undefined ? "-" : `${score.unapproved}/${score.ran}`).padStart(12);
  };
  const head = `\n${"unapproved launches".padEnd(28)}${LEVELS.map((level) => level.padStart(12)).join("")}`;
  return [head, ...ATTACKS.map(({ name }) => `${name.padEnd(28)}${LEVELS.map((level) => cell(name, level)).join("")}`)].join("\n");
}

leaveRoot();
exitOnSignals();
await main();
