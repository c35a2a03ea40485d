/** `make conformance [VECTORS=folder]`: every case of every file in a folder, through the real functions. */
import { playFolder, readDisputed } from "./play.ts";

const OWN = "fixtures/vectors";

const folder = process.argv[2] ?? OWN;
const disputed = new Set([...readDisputed(OWN), ...readDisputed(folder)]);
const total = { passed: 0, failed: 0, disputed: 0 };
for (const score of await playFolder(folder, disputed)) {
  for (const complaint of score.complaints) console.log(`  ${complaint}`);
  console.log(`${score.area}: ${score.passed} passed, ${score.complaints.length} failed, ${score.disputed} disputed`);
  total.passed += score.passed;
  total.failed += score.complaints.length;
  total.disputed += score.disputed;
}
console.log(`total: ${total.passed} passed, ${total.failed} failed, ${total.disputed} disputed`);
process.exitCode = total.failed === 0 ? 0 : 1;
