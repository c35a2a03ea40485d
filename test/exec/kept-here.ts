/** Says how a program of the child's own in the directory given as argument is kept. For directories that a test cannot mount for itself. */
import { chmodSync, copyFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { planCommand } from "../../src/analysis/plan-command.ts";
import { ROOT, resolvePath } from "../../src/core/absolute-path.ts";
import { createChildren } from "../../src/exec/child.ts";
import { heldBehind } from "../../src/exec/held.ts";
import { createHold } from "../../src/exec/hold.ts";
import { loadNative } from "../../src/native/libc.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../src/policy/exec-settings.ts";

const cwd = resolvePath(ROOT, process.argv[2] ?? "/");
copyFileSync(realpathSync("/bin/true"), join(cwd, "mine"));
chmodSync(join(cwd, "mine"), 0o755);
const native = loadNative();
const children = createChildren({ atStart: process.env, stateDirectory: cwd, native });
const child = children.childOf(EXEC_SETTINGS_DEFAULT);
const asked = { form: { kind: "argv", argv: ["./mine"] }, cwd, hasStdin: false } as const;
const plan = child.ok ? planCommand(asked, child.value.machine) : child;
const evidence = plan.ok ? await createHold({ children, native, leasesHold: true }).hold(plan.value, EXEC_SETTINGS_DEFAULT) : plan;
if (!evidence.ok) throw new Error(evidence.failure.message);
console.log(heldBehind(evidence.value)?.files.get(resolvePath(cwd, "mine"))?.kept);
