/**
 * A program of its own, under the same uid as the daemon: `attacker.js <attack> <directory>`. After `go` it moves between the evil and the
 * good version; after `rest` it leaves the good one in place and says `resting`.
 */
import { createInterface } from "node:readline";
import { ATTACKS } from "./attacks.ts";
import { watchReads } from "./system-calls.ts";

const TURN_MS = 20;
const LOOK_WITHIN_MS = 20;
const STRIKE_WITHIN_MS = 1;
const EVIL_MS_MAX = 4;

const [, , name = "", directory = ""] = process.argv;
const attack = ATTACKS.find((known) => known.name === name);
if (attack === undefined) throw new Error(`no attack is called ${name}`);
const { restMsMax = 0 } = attack;
const moves = attack.moves(directory);
const watch = attack.trigger === undefined ? null : watchReads(attack.trigger(directory));
let active = false;

function turn(): void {
  if (!active) return;
  if (watch === null) {
    for (const until = performance.now() + TURN_MS; performance.now() < until; ) {
      moves.toEvil();
      wait(Math.random() * restMsMax);
      moves.toGood();
      wait(Math.random() * restMsMax);
    }
  } else if (watch.touched(LOOK_WITHIN_MS)) {
    wait(Math.random() * STRIKE_WITHIN_MS);
    moves.toEvil();
    wait(Math.random() * EVIL_MS_MAX);
    moves.toGood();
    // What was heard in the meantime was the victim's own start, or ours.
    while (watch.touched(0));
  }
  setImmediate(turn);
}

function wait(ms: number): void {
  if (ms === 0) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

createInterface({ input: process.stdin })
  .on("line", (order) => {
    if (order === "go" && !active) {
      active = true;
      setImmediate(turn);
    }
    if (order === "rest") {
      active = false;
      while (moves.settled?.() === false) wait(1);
      process.stdout.write("resting\n");
    }
  })
  .on("close", () => process.exit(0));
