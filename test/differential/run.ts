/** `make differential [N=texts] [SEED=seed]`: the tokenizer against the shells of this machine, at length. */
import { readTextOf } from "../../src/analysis/chain.ts";
import { compare } from "./compare.ts";
import { recordingShells } from "./recording-shell.ts";

const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const { shells, remove } = recordingShells();
console.log(`seed ${seed}, ${count} texts, against ${shells.map(({ name }) => name).join(", ")}`);
const before = performance.now();
const report = await compare(
  (text, shell) => {
    const read = readTextOf(shell, text);
    return read.ok ? read.value : null;
  },
  shells,
  { seed, count, withinMs: Number.POSITIVE_INFINITY },
);
remove();
for (const disagreement of report.disagreements) console.log(JSON.stringify(disagreement));
const seconds = ((performance.now() - before) / 1000).toFixed(1);
console.log(
  `${report.generated} generated, ${report.accepted} accepted and run, ${report.disagreements.length} disagreements, ${seconds} s`,
);
process.exitCode = report.disagreements.length === 0 ? 0 : 1;
