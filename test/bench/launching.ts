/** Launches, against bare spawn and whoever else is installed: all subjects take turns, so that a busy minute is everybody's. */
import { spawnSync } from "node:child_process";
import { atLeast, atMost, type Finding, median, percentile, shownBeside } from "./numbers.ts";
import { approvedRuns, bareSpawn, type Launches, listedRuns, type Subject } from "./subjects.ts";

export const ROUNDS = 5;
const ONE_BY_ONE = 60;
const AT_ONCE = 640;
const IN_FLIGHT = 64;
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
    const single = await interleaved(subjects, ONE_BY_ONE, 1);
    const crowd = await interleaved({ bare: subjects["bare"], ours: subjects["ours"] }, AT_ONCE, IN_FLIGHT);
    return {
      findings: [...findingsOf(single, crowd), ...beside(single)],
      absent: peers.filter((peer) => !peer.works).map(({ name }) => name),
    };
  } finally {
    for (const subject of Object.values(subjects)) await subject.stop();
  }
}

type Rounds = Readonly<Record<string, readonly Launches[]>>;

async function interleaved(subjects: Readonly<Record<string, Subject | undefined>>, launches: number, inFlight: number): Promise<Rounds> {
  const rounds: Record<string, Launches[]> = {};
  // The first round warms up: caches of code and of hashes are everybody's friend.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, subject] of Object.entries(subjects)) {
      if (subject === undefined) continue;
      const measured = await subject.launch(round === 0 ? Math.min(launches, IN_FLIGHT) : launches, inFlight);
      if (round > 0) rounds[name] = [...(rounds[name] ?? []), measured];
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
function beside(single: Rounds): readonly Finding[] {
  const ours = p50(single, "ours");
  const large = p50(single, "bare, large");
  return [
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
