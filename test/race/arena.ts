/** The ground on which an attack is played: a good and an evil version of what was approved, and a way to see which of them ran. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

export interface Arena {
  readonly directory: string;
  /** What is approved, as an agent would send it. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** What a checker by path would hash. */
  readonly hashed: readonly string[];
  /** Directories to look commands up in, before the system's own. */
  readonly path: readonly string[];
  /** Whether the evil version has run since this was asked last. */
  evilRan(): boolean;
  close(): void;
}

/** A shell script under `d`, and under `e` one of the same length that leaves a trace. Nothing else in the two differs. */
export function scriptArena(directory: string, operand = join(directory, "d", "s.sh")): Arena {
  const trace = join(directory, "trace");
  const evil = `#!/bin/sh\n: > "$1"\n`;
  for (const [name, text] of [
    ["d", `#!/bin/sh\n: ok "$1"\n`.padEnd(64, "#")],
    ["e", evil.padEnd(64, "#")],
  ] as const) {
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, "s.sh"), text, { mode: 0o755 });
  }
  return { directory, argv: ["/bin/sh", operand, trace], cwd: directory, hashed: [operand], path: [], ...traceAt(trace) };
}

/** A program instead of a script: `true` is the good one, `touch` the evil one, padded to the same length. */
export function programArena(directory: string): Arena {
  const trace = join(directory, "trace");
  const [good, evil] = [join(directory, "d", "tool"), join(directory, "e", "tool")];
  for (const [from, to] of [
    ["true", good],
    ["touch", evil],
  ] as const) {
    mkdirSync(join(to, ".."), { recursive: true });
    copyFileSync(realpathSync(join("/usr/bin", from)), to);
    chmodSync(to, 0o755);
  }
  const bytes = Math.max(statSync(good).size, statSync(evil).size);
  for (const file of [good, evil]) truncateSync(file, bytes);
  return { directory, argv: [good, trace], cwd: directory, hashed: [good], path: [], ...traceAt(trace) };
}

/** The same program, found by name in the second of two directories; the first one is empty, for now. */
export function shadowArena(directory: string): Arena {
  const arena = programArena(directory);
  mkdirSync(join(directory, "shadow"));
  return { ...arena, argv: ["tool", ...arena.argv.slice(1)], path: [join(directory, "shadow"), join(directory, "d")] };
}

/** Nothing but the directory differs: `touch here` leaves its trace in whichever one it was started in. */
export function directoryArena(directory: string, throughLink: boolean): Arena {
  for (const name of ["d", "e"]) mkdirSync(join(directory, name), { recursive: true });
  if (throughLink) symlinkSync("d", join(directory, "cur"));
  // Held open, so that the evil directory is asked whatever its name is at the moment.
  const evil = openSync(join(directory, "e"), "r");
  const { evilRan } = traceAt(`/proc/self/fd/${evil}/here`);
  const cwd = join(directory, throughLink ? "cur" : "d");
  return { directory, argv: ["/usr/bin/touch", "here"], cwd, hashed: ["/usr/bin/touch"], path: [], evilRan, close: () => closeSync(evil) };
}

function traceAt(trace: string): Pick<Arena, "evilRan" | "close"> {
  return {
    evilRan: () => {
      const ran = existsSync(trace);
      if (ran) rmSync(trace);
      return ran;
    },
    close: () => {},
  };
}
