/** What looking costs, in microseconds: childOf, plan, hold and release, each as a run does them. `node build/test/exec/look-cost.js`. */
import { chmodSync, copyFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planCommand } from "../../src/analysis/plan-command.ts";
import { ROOT, resolvePath } from "../../src/core/absolute-path.ts";
import { toArgv } from "../../src/core/argv.ts";
import { createChildren } from "../../src/exec/child.ts";
import { createHold } from "../../src/exec/hold.ts";
import { loadNative } from "../../src/native/libc.ts";
import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../../src/policy/exec-settings.ts";
import { scratchDirectory } from "../support/scratch.ts";

const ROUNDS = 3_000;
const COMMANDS = [["/bin/true"], ["true"], ["sh", "script.sh"], ["./mine"]];
const scratch = scratchDirectory();
const cwd = resolvePath(ROOT, realpathSync(scratch.path));
chmodSync(cwd, 0o755);
writeFileSync(join(cwd, "script.sh"), "echo hi\n");
copyFileSync(realpathSync("/bin/true"), join(cwd, "mine"));
chmodSync(join(cwd, "mine"), 0o755);

async function measure(name: string, settings: ExecSettings): Promise<void> {
  const native = loadNative();
  const children = createChildren({ atStart: process.env, stateDirectory: resolvePath(cwd, "state"), native });
  const holding = createHold({ children, native, leasesHold: true });
  for (const words of COMMANDS) {
    const argv = toArgv(words) ?? ["true"];
    const once = async (): Promise<void> => {
      const child = children.childOf(settings);
      const plan = child.ok ? planCommand({ form: { kind: "argv", argv }, cwd, hasStdin: false }, child.value.machine) : child;
      const evidence = plan.ok ? await holding.hold(plan.value, settings) : plan;
      if (!evidence.ok) throw new Error(evidence.failure.message);
      holding.release(evidence.value);
    };
    for (let round = 0; round < ROUNDS / 2; round += 1) await once();
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const began = performance.now();
      await once();
      took.push((performance.now() - began) * 1000);
    }
    took.sort((a, b) => a - b);
    const at = (share: number): string => (took[Math.floor(share * (took.length - 1))] ?? 0).toFixed(0).padStart(5);
    console.log(`${name.padEnd(16)} ${words.join(" ").padEnd(14)} p50 ${at(0.5)} µs   p99 ${at(0.99)} µs`);
  }
  holding.stop();
}

await measure("as ourselves", EXEC_SETTINGS_DEFAULT);
if (process.getuid?.() === 0) await measure("runAs nobody", { ...EXEC_SETTINGS_DEFAULT, runAs: "nobody" });
scratch.remove();
