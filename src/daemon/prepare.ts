import type { CommandPlan } from "../analysis/command-plan.ts";
import { type Asked, type BoundParts, bindingOf, boundParts } from "../binding/binding.ts";
import type { Evidence } from "../binding/evidence.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { AgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { sha256Of } from "../core/sha256.ts";
import { type DecideInput, decide, type Judgement } from "../policy/decide.ts";
import { type EffectivePolicy, effectiveFor } from "../policy/effective.ts";
import { judgeOverrides } from "../policy/env-overrides.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import { securityOf } from "../policy/strictness.ts";
import { type Display, displayOf } from "../wire/display.ts";
import type { CommandParams } from "../wire/params/command.ts";
import type { Asker } from "./asker.ts";
import { childEnvironment } from "./child-environment.ts";
import type { World } from "./world.ts";

/** Everything known about a command before it may start: looked up, opened, hashed, bound and judged. Whoever has one must release it. */
export interface Prepared {
  readonly agentId: AgentId;
  readonly settings: ExecSettings;
  readonly plan: CommandPlan;
  readonly asked: Asked;
  readonly evidence: Evidence;
  readonly parts: BoundParts;
  readonly binding: string;
  readonly display: Display;
  readonly judgement: Judgement;
  /** For asking the same again when nobody answered. */
  readonly decideInput: DecideInput;
  readonly timeoutMs: number;
  readonly overrideNames: readonly string[];
}

/** The first half of the road, shared by prepare, request and run: tool policy, environment, plan, evidence, binding, decision. */
export async function prepare(
  command: CommandParams,
  asker: Asker,
  world: World,
  purpose: "to-decide" | "to-show" = "to-decide",
): Promise<Result<Prepared, Denial>> {
  const agent = asker.agentFor(command.agentId);
  if (!agent.ok) return agent;
  const agentId = agent.value;
  const policies = world.policies();
  const tool = policies.judgeExecTool({ agentId, sessionKey: command.sessionKey, context: command.context, args: argsOf(command) });
  if (!tool.ok) return tool;
  const settings = policies.execFor(agentId);
  const stored = world.document();
  if (!stored.ok) return stored;
  const policy = effectiveFor(stored.value.document, agentId);
  const requested = { security: command.security, ask: command.ask };
  // Before anything is opened: where every command is denied, no run and no question touches a file.
  // Only whoever asks what would be said is told it in the shape of every other decision.
  const security = securityOf({ policy, settings, requested });
  if (security.value === "deny" && purpose === "to-decide") {
    return fail(
      denial("policy.security-deny", "every command is denied here; an operator can change `security`", { source: security.source }),
    );
  }
  const overrides = Object.fromEntries(command.env);
  const judged = judgeOverrides(overrides, settings);
  if (!judged.ok) return judged;
  const child = world.childOf(settings);
  if (!child.ok) return child;
  const { machine } = child.value;
  const cwd = machine.realPath(command.cwd ?? child.value.home);
  if (cwd === null || machine.kindOf(cwd) !== "directory") {
    const given = command.cwd ?? child.value.home;
    return fail(
      denial("exec.cwd-invalid", `\`${given}\` is not a directory the command could start in; name one that is there`, {
        field: "cwd",
        path: given,
      }),
    );
  }
  const environment = childEnvironment({ pass: settings.envPass, overrides, ...child.value });
  const plan = world.plan({ form: command.form, cwd, hasStdin: command.stdin !== null }, machine);
  if (!plan.ok) return plan;
  const display = displayOf(plan.value.argv);
  if (!display.ok) return display;
  const rules = await world.rulesFor(stored.value.document, agentId, machine);
  const held = await world.hold(plan.value, settings, child.value);
  if (!held.ok) return held;
  const evidence = held.value;
  const asked: Asked = {
    argv: plan.value.argv,
    environment,
    agentId,
    sessionKey: command.sessionKey,
    stdin: { bytes: command.stdin?.length ?? 0, sha256: command.stdin === null ? null : sha256Of(command.stdin) },
  };
  const parts = boundParts(asked, evidence);
  const hashes = new Map([evidence.executable, ...evidence.nested, ...evidence.files].map((file) => [file.path, file.sha256]));
  const decideInput: DecideInput = {
    plan: plan.value,
    settings,
    rules,
    machine,
    requested,
    missedOverrides: judged.value.missed,
    elevated: tool.value,
    hashOf: (path) => hashes.get(path) ?? null,
    usesLeft: (key) => usesLeft(world, policy, key),
    nowMs: world.clock.nowMs(),
  };
  return ok({
    agentId,
    settings,
    plan: plan.value,
    asked,
    evidence,
    parts,
    binding: bindingOf(parts),
    display: withWarnings(display.value, setIdWarnings(plan.value)),
    judgement: decide(decideInput),
    decideInput,
    overrideNames: Object.keys(overrides).sort(),
    timeoutMs: Math.min(command.timeoutMs ?? settings.maxTimeoutMs, settings.maxTimeoutMs),
  });
}

function withWarnings(display: Display, first: readonly string[]): Display {
  return first.length === 0 ? display : { ...display, warnings: [...first, ...display.warnings] };
}

/** Whoever is asked sees first that more than the child's own rights are at stake. */
function setIdWarnings({ analysis }: CommandPlan): readonly string[] {
  if (!analysis.ok) return [];
  const programs = analysis.segments.flatMap(({ program }) => (program?.setId === true ? [program.realPath] : []));
  return [...new Set(programs)].map((path) => `\`${path}\` is set-id: it runs with the rights of the file's owner`);
}

/** As rules about `exec`'s arguments read it. */
function argsOf({ form, env }: CommandParams): JsonObject {
  const asked = form.kind === "argv" ? { argv: form.argv } : { command: form.text };
  return { env: Object.fromEntries(env), ...asked };
}

/** The journal, not the document, says how often a grant was used. */
function usesLeft(world: World, { usesGranted }: EffectivePolicy, key: string): number | null {
  const granted = usesGranted.get(key);
  return granted === undefined ? null : granted - (world.desk.ledger.usesSpent.get(key) ?? 0);
}
