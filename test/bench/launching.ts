/** Launches, against bare spawn and whoever else is installed: all subjects take turns, so that a busy minute is everybody's. */
import { spawnSync } from "node:child_process";
import { atLeast, atMost, type Finding, median, percentile, shownBeside } from "./numbers.ts";
import { approvedRuns, bareSpawn, type Launches, listedRuns, type Subject } from "./subjects.ts";

export const ROUNDS = 5;
/** A slow second of the machine's is then a round of everybody's, and no median's. */
const ONE_BY_ONE_ROUNDS = 7;
/** Enough that what counts is the work, and not the second before it, in which somebody else had the caches. */
const ONE_BY_ONE = 60;
const COLD_ROUNDS = 1;
const AT_ONCE = 640;
const IN_FLIGHT = 64;
/** A daemon lives for weeks: what counts is what it does when V8 is done compiling, for us and for the others alike. */
const WARM_UP_LAUNCHES = 4096;
const WARM_UP_SLICE = 512;
const WARM_UP_WITHIN_MS = 20_000;
const BALLAST_MB = 500;

const PEERS: Readonly<Record<string, readonly string[]>> = {
  "sudo -n": ["sudo", "-n"],
  doas: ["doas", "-n"],
  bwrap: ["bwrap", "--ro-bind", "/", "/"],
};

export async function measureLaunching(): Promise<{ readonly findings: readonly Finding[]; readonly absent: readonly string[] }> {
  const peers = Object.entries(PEERS).map(([name, prefix]) => ({ name, prefix, works: works(prefix) }));
  const subjects: Record<string, Subject> = {
    bare: bareSpawn(),
    ours: await approvedRuns(),
    "bare, large": bareSpawn([], BALLAST_MB),
    "ours, large": await approvedRuns({ env: { COUNTERSIGN_TEST_BALLAST_MB: String(BALLAST_MB) } }),
    "10 entries": await listedRuns(10),
    "100,000 entries": await listedRuns(100_000),
    ...Object.fromEntries(peers.filter((peer) => peer.works).map(({ name, prefix }) => [name, bareSpawn(prefix)])),
  };
  try {
    const pair = { bare: subjects["bare"], ours: subjects["ours"] };
    const cold = await interleaved(pair, COLD_ROUNDS, ONE_BY_ONE, 1);
    for (const subject of Object.values(subjects)) await warmUp(subject);
    const single = await interleaved(subjects, ONE_BY_ONE_ROUNDS, ONE_BY_ONE, 1);
    const crowd = await interleaved(pair, ROUNDS, AT_ONCE, IN_FLIGHT);
    return {
      findings: [...findingsOf(single, crowd), ...beside(single, cold)],
      absent: peers.filter((peer) => !peer.works).map(({ name }) => name),
    };
  } finally {
    for (const subject of Object.values(subjects)) await subject.stop();
  }
}

type Rounds = Readonly<Record<string, readonly Launches[]>>;

/** Whoever takes long for each has had its time: peers that start a process of their own each time have nothing to warm. */
async function warmUp(subject: Subject): Promise<void> {
  const until = performance.now() + WARM_UP_WITHIN_MS;
  for (let done = 0; done < WARM_UP_LAUNCHES && performance.now() < until; done += WARM_UP_SLICE) {
    await subject.launch(WARM_UP_SLICE, IN_FLIGHT);
  }
}

async function interleaved(
  subjects: Readonly<Record<string, Subject | undefined>>,
  count: number,
  launches: number,
  inFlight: number,
): Promise<Rounds> {
  const rounds: Record<string, Launches[]> = {};
  const names = Object.keys(subjects);
  for (let round = 0; round < count; round += 1) {
    // Everybody comes first once: whoever follows a process of 500 MB finds colder caches than the others.
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const measured = await subjects[name]?.launch(launches, inFlight);
      if (measured !== undefined) rounds[name] = [...(rounds[name] ?? []), measured];
    }
  }
  return rounds;
}

function p50(rounds: Rounds, name: string): number {
  return median((rounds[name] ?? []).map(({ each }) => median(each)));
}

function findingsOf(single: Rounds, crowd: Rounds): readonly Finding[] {
  const perSecond = (name: string): number => median((crowd[name] ?? []).map(({ each, elapsedMs }) => (each.length * 1000) / elapsedMs));
  const p99 = (name: string): number => median((crowd[name] ?? []).map(({ each }) => percentile(each, 0.99)));
  const versus = (ours: number, theirs: number, unit: string): string => `${ours.toFixed(2)} ${unit} against ${theirs.toFixed(2)} ${unit}`;
  const [ours, bare] = [p50(single, "ours"), p50(single, "bare")];
  const [large, small] = [p50(single, "ours, large"), ours];
  const [many, few] = [p50(single, "100,000 entries"), p50(single, "10 entries")];
  return [
    atMost("approved run, p50 ÷ bare spawn", ours / bare, 1.25, "×", versus(ours, bare, "ms")),
    atLeast(
      "throughput at 64 ÷ bare spawn",
      perSecond("ours") / perSecond("bare"),
      1.5,
      "×",
      versus(perSecond("ours"), perSecond("bare"), "/s"),
    ),
    atMost("p99 at 64 ÷ bare spawn", p99("ours") / p99("bare"), 0.5, "×", versus(p99("ours"), p99("bare"), "ms")),
    atMost(`with ${BALLAST_MB} MB more resident ÷ without`, large / small, 1.2, "×", versus(large, small, "ms")),
    atMost("run with 100,000 entries ÷ with 10", many / few, 1.1, "×", versus(many, few, "ms")),
  ];
}

/** What the others take, with the same command and the same clock. */
function beside(single: Rounds, cold: Rounds): readonly Finding[] {
  const ours = p50(single, "ours");
  const large = p50(single, "bare, large");
  return [
    shownBeside(
      "the first runs of a new daemon, p50 ÷ bare spawn's",
      p50(cold, "ours") / p50(cold, "bare"),
      "×",
      `${p50(cold, "ours").toFixed(2)} ms`,
    ),
    shownBeside(`bare spawn with ${BALLAST_MB} MB more ÷ without`, large / p50(single, "bare"), "×", `${large.toFixed(2)} ms`),
    ...Object.keys(PEERS).flatMap((name) =>
      single[name] === undefined
        ? []
        : [shownBeside(`approved run, p50 ÷ ${name}`, ours / p50(single, name), "×", `${p50(single, name).toFixed(2)} ms`)],
    ),
  ];
}

function works(prefix: readonly string[]): boolean {
  const [command = "", ...rest] = prefix;
  return spawnSync(command, [...rest, "/bin/true"], { stdio: "ignore", timeout: 5000 }).status === 0;
}
