/** Launches, against bare spawn and whoever else is installed: all subjects take turns, so that a busy minute is everybody's. */
import { spawnSync } from "node:child_process";
import { atLeast, atMost, type Finding, median, percentile, shownBeside } from "./numbers.ts";
import { approvedRuns, bareSpawn, type Launches, listedRuns, type Subject } from "./subjects.ts";

export const ROUNDS = 7;
/** Seconds of the machine differ by half: two that are compared stand side by side, take turns in coming first, and have many short rounds. */
const ONE_BY_ONE_ROUNDS = 15;
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
  const { bare, ours } = subjects;
  try {
    const cold = await interleaved({ bare, ours }, COLD_ROUNDS, ONE_BY_ONE, 1);
    for (const subject of Object.values(subjects)) await warmUp(subject);
    const oneByOne = async (...names: readonly string[]): Promise<Rounds> =>
      interleaved(Object.fromEntries(names.map((name) => [name, subjects[name]])), ONE_BY_ONE_ROUNDS, ONE_BY_ONE, 1);
    const single = await oneByOne("bare", "ours");
    const large = await oneByOne("ours", "ours, large");
    const bareLarge = await oneByOne("bare", "bare, large");
    const listed = await oneByOne("10 entries", "100,000 entries");
    const crowd = await interleaved({ bare, ours }, ROUNDS, AT_ONCE, IN_FLIGHT);
    const others: Record<string, Rounds> = {};
    for (const { name } of peers.filter(({ works }) => works)) others[name] = await oneByOne("ours", name);
    const approved = compared(single, "ours", "bare", p50, "ms");
    const throughput = compared(crowd, "ours", "bare", perSecond, "/s");
    const slowest = compared(crowd, "ours", "bare", p99, "ms");
    const grown = compared(large, "ours, large", "ours", p50, "ms");
    const among = compared(listed, "100,000 entries", "10 entries", p50, "ms");
    const first = compared(cold, "ours", "bare", p50, "ms");
    const bareGrown = compared(bareLarge, "bare, large", "bare", p50, "ms");
    return {
      findings: [
        atMost("approved run, p50 ÷ bare spawn", approved.ratio, 1.25, "×", approved.detail),
        atLeast("throughput at 64 ÷ bare spawn", throughput.ratio, 1.5, "×", throughput.detail),
        atMost("p99 at 64 ÷ bare spawn", slowest.ratio, 0.5, "×", slowest.detail),
        atMost(`with ${BALLAST_MB} MB more resident ÷ without`, grown.ratio, 1.2, "×", grown.detail),
        atMost("run with 100,000 entries ÷ with 10", among.ratio, 1.1, "×", among.detail),
        shownBeside("the first runs of a new daemon, p50 ÷ bare spawn's", first.ratio, "×", first.detail),
        shownBeside(`bare spawn with ${BALLAST_MB} MB more ÷ without`, bareGrown.ratio, "×", bareGrown.detail),
        ...Object.entries(others).map(([name, rounds]) => {
          const { ratio, detail } = compared(rounds, "ours", name, p50, "ms");
          return shownBeside(`approved run, p50 ÷ ${name}`, ratio, "×", detail);
        }),
      ],
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
    // Everybody comes first once: whoever follows another finds the caches as that one left them.
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const measured = await subjects[name]?.launch(launches, inFlight);
      if (measured !== undefined) rounds[name] = [...(rounds[name] ?? []), measured];
    }
  }
  return rounds;
}

/** Round by round: a slow second of the machine's is both of theirs. Beside the ratio stands what was measured, as medians. */
function compared(
  rounds: Rounds,
  ours: string,
  theirs: string,
  figure: (launches: Launches) => number,
  unit: string,
): { readonly ratio: number; readonly detail: string } {
  const [mine, others] = [(rounds[ours] ?? []).map(figure), (rounds[theirs] ?? []).map(figure)];
  const ratio = median(mine.map((value, round) => value / (others[round] ?? Number.NaN)));
  return { ratio, detail: `${median(mine).toFixed(2)} ${unit} against ${median(others).toFixed(2)} ${unit}` };
}

const p50 = ({ each }: Launches): number => median(each);
const p99 = ({ each }: Launches): number => percentile(each, 0.99);
const perSecond = ({ each, elapsedMs }: Launches): number => (each.length * 1000) / elapsedMs;

function works(prefix: readonly string[]): boolean {
  const [command = "", ...rest] = prefix;
  return spawnSync(command, [...rest, "/bin/true"], { stdio: "ignore", timeout: 5000 }).status === 0;
}
