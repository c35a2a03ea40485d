/** The document and the settings: where they are broken, and where they allow more than a careful person would. */
import { type AbsolutePath, parseAbsolutePath } from "../../core/absolute-path.ts";
import type { Denial } from "../../core/denial.ts";
import { type AgentId, isAgentId } from "../../core/ids.ts";
import { isJsonObject } from "../../core/json.ts";
import { createChildren } from "../../exec/child.ts";
import type { ExecDocument } from "../../policy/document.ts";
import { effectiveFor } from "../../policy/effective.ts";
import { lintAllowlist } from "../../policy/lint.ts";
import type { Finding } from "./finding.ts";
import { type Ground, settingsInForce } from "./ground.ts";

/** What is wrong with the files themselves, not with what they say, stands with the state directory already. */
function isSaid(why: Denial, { paths }: Ground): boolean {
  const { refused } = why.details;
  return refused === paths.document || refused === paths.settings;
}

export function checkPolicy(ground: Ground): readonly Finding[] {
  const { document, settings, settingsPath } = ground;
  return [
    ...(document === null
      ? []
      : document.ok
        ? [good("policy", ground.paths.document), ...judged(document.value, ground)]
        : broken("policy", document.failure, ground)),
    ...(settings === null
      ? []
      : settings.ok
        ? [good("settings", settingsPath), ...warned(settings.value.warnings)]
        : broken("settings", settings.failure, ground)),
  ];
}

function good(about: string, path: string): Finding {
  return { about, level: "good", message: `\`${path}\` reads` };
}

/** Each place by itself: a person mends them one at a time. */
function broken(about: string, why: Denial, ground: Ground): readonly Finding[] {
  if (isSaid(why, ground)) return [];
  const problems = Array.isArray(why.details["problems"]) ? why.details["problems"] : [];
  const named = problems.flatMap((problem): readonly Finding[] => {
    if (!isJsonObject(problem) || typeof problem["message"] !== "string") return [];
    const { path, line, column } = problem;
    const key = typeof path === "string" && path !== "" ? `\`${path}\`` : "the file";
    const place = typeof line === "number" && typeof column === "number" ? `line ${line}, column ${column}: ` : "";
    return [{ about, level: "fails", message: `${place}${key} ${problem["message"]}`, remedy: "mend it there; until then nothing runs" }];
  });
  return named.length > 0 ? named : [{ about, level: "fails", message: why.message, remedy: "mend it; until then nothing runs" }];
}

function warned(warnings: readonly string[]): readonly Finding[] {
  return warnings.map((message) => ({ about: "settings", level: "weak", message, remedy: "see `countersign policy check`" }));
}

function judged(document: ExecDocument, ground: Ground): readonly Finding[] {
  return [...broadness(document), ...fallbacks(document), ...entries(document, ground)];
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

function entries(document: ExecDocument, ground: Ground): readonly Finding[] {
  const children = createChildren({ atStart: ground.env, stateDirectory: absolute(ground.paths.directory), native: ground.native });
  return agentIds(document).flatMap((agentId) => {
    const child = children.childOf(settingsInForce(ground).execFor(agentId));
    if (!child.ok)
      return [{ about: "settings", level: "fails", message: child.failure.message, remedy: "until then no command of this agent runs" }];
    const own = document.agents.get(agentId)?.allowlist ?? [];
    return lintAllowlist(own, child.value.machine, ground.nowMs).map(({ source, pattern, kind, message }): Finding => {
      const level = ["anything", "shell", "interpreter", "writable"].includes(kind) ? "weak" : "note";
      const [fact = "", remedy = `edit \`${ground.paths.document}\``] = message.split(/; (?=[^;]*$)/);
      return { about: "allowlist", level, message: `\`${pattern}\` (${source}): ${fact}`, remedy };
    });
  });
}

/** `*` stands for agents that are not named; for linting it is an agent like any other. */
function agentIds({ agents }: ExecDocument): readonly AgentId[] {
  return [...agents.keys(), "main"].filter((name, at, all) => all.indexOf(name) === at).filter(isLintable);
}

function isLintable(name: string): name is AgentId {
  return name === "*" || isAgentId(name);
}

function absolute(path: string): AbsolutePath {
  const parsed = parseAbsolutePath(path);
  if (!parsed.ok) throw new Error("the state directory is not absolute");
  return parsed.value;
}
