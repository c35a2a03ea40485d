/** One attack against one opponent: N launches of what was approved, and in how many of them something else ran. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "./arena.ts";
import type { Attack } from "./attacks.ts";
import type { Approved, Opponent } from "./opponents.ts";

export interface Score {
  readonly attack: string;
  readonly level: Opponent["name"];
  readonly ran: number;
  readonly refused: number;
  readonly unapproved: number;
}

const REFUSALS_PER_LAUNCH_MAX = 20;

export async function duel(attack: Attack, arena: Arena, opponent: Opponent, launches: number): Promise<Score> {
  const attacker = startAttacker(attack, arena);
  let approved: Approved | null = null;
  const count = { ran: 0, refused: 0, unapproved: 0 };
  try {
    while (count.ran < launches && count.refused < launches * REFUSALS_PER_LAUNCH_MAX) {
      if (approved === null || approved.left() === 0) {
        await attacker.rest();
        approved = await opponent.approve(arena, launches - count.ran);
        await attacker.go();
      }
      const outcome = await approved.attempt();
      count[outcome] += 1;
      // A refused launch that left a trace is as bad as one that was answered with a result.
      if (arena.evilRan()) count.unapproved += 1;
      // As long as the evil version lies there, every look finds it: let the attacker move on.
      if (outcome === "refused") await sleep(Math.random());
    }
  } finally {
    await attacker.stop();
  }
  return { attack: attack.name, level: opponent.name, ...count };
}

interface Attacker {
  go(): Promise<void>;
  /** Settles when the good version is back in place. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

const GETTING_GOING_MS = 5;

function startAttacker(attack: Attack, arena: Arena): Attacker {
  const child = spawn(process.execPath, [join(import.meta.dirname, "attacker.js"), attack.name, arena.directory], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "close");
  const order = (words: string): void => void child.stdin.write(`${words}\n`);
  return {
    go: async () => {
      order("go");
      await sleep(GETTING_GOING_MS);
    },
    rest: async () => {
      order("rest");
      await Promise.race([once(child.stdout, "data"), gone.then(() => failed(child))]);
    },
    stop: async () => {
      child.stdin.end();
      await gone;
    },
  };
}

function failed(child: ChildProcess): never {
  throw new Error(`the attacker ended with ${child.exitCode ?? child.signalCode}`);
}
