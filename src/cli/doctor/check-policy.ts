/** The document and the settings: where they are broken, and where they allow more than a careful person would. */

import type { Denial } from "../../core/denial.ts";
import { type AgentId, isAgentId } from "../../core/ids.ts";
import { isJsonObject } from "../../core/json.ts";
import type { ExecDocument } from "../../policy/document.ts";
import { effectiveFor } from "../../policy/effective.ts";
import { allowlistFindings, LOUD } from "../allowlist/findings.ts";
import type { Finding } from "./finding.ts";
import type { Ground } from "./ground.ts";

/** What is wrong with the files themselves, not with what they say, stands with the state directory already. */
function isSaid(why: Denial, { paths }: Ground): boolean {
  const { refused } = why.details;
  return refused === paths.document || refused === paths.settings;
}

export async function checkPolicy(ground: Ground): Promise<readonly Finding[]> {
  const { document, settings, settingsPath } = ground;
  return [
    ...(document === null
      ? []
      : document.ok
        ? [good("policy", ground.paths.document), ...(await judged(document.value, ground))]
        : broken("policy", ground.paths.document, document.failure, ground)),
    ...(settings === null
      ? []
      : settings.ok
        ? [good("settings", settingsPath), ...warned(settings.value.warnings)]
        : broken("settings", settingsPath, settings.failure, ground)),
  ];
}

function good(about: string, path: string): Finding {
  return { about, level: "good", message: `\`${path}\` reads` };
}

/** Each place by itself: a person mends them one at a time. */
function broken(about: string, file: string, why: Denial, ground: Ground): readonly Finding[] {
  if (isSaid(why, ground)) return [];
  const problems = Array.isArray(why.details["problems"]) ? why.details["problems"] : [];
  const remedy = `mend it in \`${file}\`; until then nothing runs`;
  const named = problems.flatMap((problem): readonly Finding[] => {
    if (!isJsonObject(problem) || typeof problem["message"] !== "string") return [];
    const { path, line, column } = problem;
    const key = typeof path === "string" && path !== "" ? `\`${path}\`` : "the file";
    const place = typeof line === "number" && typeof column === "number" ? `line ${line}, column ${column}: ` : "";
    return [{ about, level: "fails", message: `${place}${key} ${problem["message"]}`, remedy }];
  });
  return named.length > 0 ? named : [{ about, level: "fails", message: why.message, remedy }];
}

function warned(warnings: readonly string[]): readonly Finding[] {
  return warnings.map((message) => ({ about: "settings", level: "weak", message, remedy: "see `countersign policy check`" }));
}

async function judged(document: ExecDocument, ground: Ground): Promise<readonly Finding[]> {
  return [...broadness(document), ...fallbacks(document), ...(await entries(document, ground))];
}

function broadness({ socket, agents, defaults }: ExecDocument): readonly Finding[] {
  const sections = [["defaults", defaults] as const, ...[...agents.values()].map((agent) => [agent.path, agent] as const)];
  const full = sections
    .filter(([, { security, ask }]) => security === "full" && ask !== "always")
    .map(
      ([path]): Finding => ({
        about: "policy",
        level: "weak",
        message: `\`${path}.security\` is \`full\`: everything runs unasked`,
        remedy: "use `allowlist`, and list what may run",
      }),
    );
  const resolving: readonly Finding[] = socket.gatewayMayResolve
    ? [
        {
          about: "policy",
          level: "weak",
          message: "`socket.gatewayMayResolve` lets whoever asks answer for itself",
          remedy: "remove it, and answer as operator",
        },
      ]
    : [];
  return [...full, ...resolving];
}

/** `full` adds no limit of its own, so under `allowlist` it does not do what it says. */
function fallbacks(document: ExecDocument): readonly Finding[] {
  return agentIds(document).flatMap((agentId): readonly Finding[] => {
    const { security, askFallback } = effectiveFor(document, agentId);
    if (askFallback.value !== "full" || security.value !== "allowlist") return [];
    const message = `\`${askFallback.source}\` is \`full\`, which under \`allowlist\` is the same as \`allowlist\``;
    return [{ about: "policy", level: "weak", message, remedy: "write `allowlist`, or `deny`, which is what most people mean" }];
  });
}

async function entries(document: ExecDocument, ground: Ground): Promise<readonly Finding[]> {
  const found = await allowlistFindings(document, ground);
  if (!found.ok)
    return [{ about: "settings", level: "fails", message: found.failure.message, remedy: "until then no command of this agent runs" }];
  return found.value.map(({ source, pattern, kind, message }): Finding => {
    const [fact = "", remedy = `edit \`${ground.paths.document}\``] = message.split(/; (?=[^;]*$)/);
    return { about: "allowlist", level: LOUD.has(kind) ? "weak" : "note", message: `\`${pattern}\` (${source}): ${fact}`, remedy };
  });
}

/** `*` stands for agents that are not named; for linting it is an agent like any other. */
function agentIds({ agents }: ExecDocument): readonly AgentId[] {
  return [...agents.keys(), "main"].filter((name, at, all) => all.indexOf(name) === at).filter(isLintable);
}

function isLintable(name: string): name is AgentId {
  return name === "*" || isAgentId(name);
}
