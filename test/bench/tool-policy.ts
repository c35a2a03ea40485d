/** How fast layer 1 answers in process, on a compiled policy of a thousand rules, and whether ten times the agents make it slower. */
import { parseSettings } from "../../src/config/settings.ts";
import { isAgentId } from "../../src/core/ids.ts";
import { CORE_TOOLS } from "../../src/tools/catalog.ts";
import type { ToolCall } from "../../src/tools/tool-call.ts";
import type { ToolPolicy } from "../../src/tools/tool-policy.ts";
import { toolMachine } from "../tools/table-machine.ts";
import { atLeast, type Finding, median } from "./numbers.ts";

const GLOBAL_RULES = 500;
const AGENTS = 50;
const RULES_PER_AGENT = 10;
const CALLS_PER_ROUND = 20_000;
const ROUNDS = 31;
const WARM_UP_ROUNDS = 5;

export function measureToolPolicy(): readonly Finding[] {
  const few = compiled(AGENTS);
  const many = compiled(AGENTS * 10);
  // The same questions to both: does an agent pay for others being there?
  const calls = callsOf(AGENTS);
  const rates: { readonly few: number[]; readonly many: number[] } = { few: [], many: [] };
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    const measured = { few: ratePerSecond(few, calls), many: ratePerSecond(many, calls) };
    // The first rounds are the compiler's.
    if (round < WARM_UP_ROUNDS) continue;
    rates.few.push(measured.few);
    rates.many.push(measured.many);
  }
  const [fewRate, manyRate] = [median(rates.few), median(rates.many)];
  // Round by round, so that whatever else the machine does weighs on both alike.
  const ratio = median(rates.many.map((rate, round) => rate / (rates.few[round] ?? rate)));
  const rules = GLOBAL_RULES + AGENTS * RULES_PER_AGENT;
  return [
    atLeast("tools.evaluate in process, 1,000 rules", fewRate, 100_000, "/s", `${rules} rules, ${AGENTS} agents`),
    // A tenth is what the same policy differs by from one round to the next.
    atLeast("the same with 10× the agents", ratio, 0.9, "×", `${Math.round(manyRate)}/s with ${AGENTS * 10} agents`),
  ];
}

function ratePerSecond(policy: ToolPolicy, calls: readonly ToolCall[]): number {
  const machine = toolMachine();
  let allowed = 0;
  const startedMs = performance.now();
  for (let done = 0; done < CALLS_PER_ROUND; done += 1) {
    const call = calls[done % calls.length];
    if (call !== undefined && policy.evaluate(call, machine).allowed) allowed += 1;
  }
  const seconds = (performance.now() - startedMs) / 1000;
  if (allowed === 0 || allowed === CALLS_PER_ROUND) throw new Error("a policy that says the same to everyone measures nothing");
  return CALLS_PER_ROUND / seconds;
}

/** Every layer has something to do: provider, agent, sandbox and depth take turns. */
function callsOf(agents: number): readonly ToolCall[] {
  return Array.from({ length: agents * 7 }, (_, index) => {
    const agentId = `agent-${index % agents}`;
    if (!isAgentId(agentId)) throw new Error("an agent's id");
    const context = { provider: "openai", model: "gpt-5.2", senderIsOwner: true, sandboxed: index % 3 === 0, subagentDepth: index % 2 };
    return { tool: CORE_TOOLS[index % CORE_TOOLS.length] ?? "read", agentId, sessionKey: "agent:main:discord:group:42", context };
  });
}

function compiled(agents: number): ToolPolicy {
  const deny = Array.from({ length: GLOBAL_RULES }, (_, index) => (index % 4 === 0 ? `plugin_${index}_*` : `plugin_tool_${index}`));
  const list = Array.from({ length: agents }, (_, index) => ({
    id: `agent-${index}`,
    tools: {
      allow: ["group:fs", "group:web", "exec", "sessions_*", `own_${index}`],
      deny: ["write", `not_${index}_*`, `*_never_${index}`],
      byProvider: { openai: { deny: ["browser", `slow_${index}`] } },
    },
  }));
  const settings = parseSettings(JSON.stringify({ tools: { profile: "coding", deny }, agents: { list } }), "bench");
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value.tools;
}
