import { SANDBOX_ALLOWED, SANDBOX_DENIED } from "./catalog.ts";
import type { KnownTools } from "./known-tools.ts";
import { type Origin, row, type Step } from "./layer.ts";
import { entryRows, find } from "./list-step.ts";
import type { AgentSection, ToolsSection } from "./tool-config.ts";
import { toolName } from "./tool-name.ts";

/** What holds inside a sandbox: each list from the agent's section, else from the global one, else built in. */
export interface SandboxPolicy {
  /** Empty: nothing is filtered. */
  readonly allow: SourcedNames;
  readonly alsoAllow: readonly SourcedNames[];
  readonly deny: SourcedNames;
}

export interface SourcedNames {
  readonly names: readonly string[];
  readonly origin: Origin;
  readonly path: string;
}

export function sandboxPolicyOf(tools: ToolsSection, agent: AgentSection | null, known: KnownTools): SandboxPolicy {
  const own = agent?.tools.sandbox?.tools;
  const global = tools.sandbox?.tools;
  const ownPath = `${agent?.path ?? ""}.tools.sandbox.tools`;
  const first = (key: "allow" | "deny", usual: readonly string[]): SourcedNames =>
    sourced(own?.[key], "agent", `${ownPath}.${key}`) ??
    sourced(global?.[key], "global", `tools.sandbox.tools.${key}`) ?? { names: usual, origin: "default", path: "" };
  const also = [
    sourced(global?.alsoAllow, "global", "tools.sandbox.tools.alsoAllow"),
    sourced(own?.alsoAllow, "agent", `${ownPath}.alsoAllow`),
    sourced(agent?.sandbox.alsoAllow, "agent", `${agent?.path ?? ""}.sandbox.alsoAllow`),
  ];
  const deny = first("deny", SANDBOX_DENIED);
  const allow = withImage(first("allow", SANDBOX_ALLOWED), deny, known);
  return { allow, alsoAllow: also.filter((each) => each !== null), deny };
}

const IMAGE = toolName("image");

/** `image` only looks at a picture that the agent was shown, so a sandbox's own list keeps it; a deny takes it away. */
function withImage(allow: SourcedNames, deny: SourcedNames, known: KnownTools): SourcedNames {
  const isSettled = allow.names.length === 0 || [allow, deny].some(({ names }) => known.compile(names).find(IMAGE) !== null);
  return isSettled ? allow : { ...allow, names: [...allow.names, IMAGE] };
}

export function compileSandbox({ allow, alsoAllow, deny }: SandboxPolicy, known: KnownTools, emptyDenies: boolean): Step {
  const denied = known.compile(deny.names);
  const refusals = entryRows((_, rule) => row("sandbox", "deny", deny.origin, deny.path, rule));
  const lists = [allow, ...alsoAllow].map(({ names, origin, path }) => ({
    list: known.compile(names),
    rows: entryRows((_, rule) => row("sandbox", "allow", origin, path, rule)),
  }));
  const filters = allow.names.length > 0 || emptyDenies;
  const unlisted = row("sandbox", "deny", allow.origin, allow.path, "not listed");
  return {
    judge(tool) {
      const refusal = denied.find(tool);
      if (refusal !== null) return refusals(refusal);
      if (!filters) return null;
      for (const { list, rows } of lists) {
        const entry = find(list, tool);
        if (entry !== null) return rows(entry);
      }
      return unlisted;
    },
  };
}

function sourced(names: readonly string[] | undefined, origin: Origin, path: string): SourcedNames | null {
  return names === undefined ? null : { names, origin, path };
}
