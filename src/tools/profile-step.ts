import { EXEC_SECTION_GRANTS, FS_SECTION_GRANTS, PROFILES } from "./catalog.ts";
import type { KnownTools } from "./known-tools.ts";
import { type Layer, type Origin, row, type Step } from "./layer.ts";
import { entryRows, find } from "./list-step.ts";
import type { ProfileName, ToolsSection } from "./tool-config.ts";

/** Tools that stand beside the profile, and who put them there. */
export interface Addition {
  readonly origin: Origin;
  readonly path: string;
  readonly names: readonly string[];
}

export interface ChosenProfile {
  readonly name: ProfileName;
  readonly origin: Origin;
  readonly path: string;
}

/** The place to start from. Tools that the profile lacks are there only if somebody added them by name. */
export function compileProfile(layer: Layer, profile: ChosenProfile, additions: readonly Addition[], known: KnownTools): Step {
  const { name, origin, path } = profile;
  const included = Object.freeze(row(layer, "allow", origin, path, name));
  const members = PROFILES[name];
  if (members === null) return { judge: () => included };
  const own = known.compile(members);
  const added = additions.map(({ names, ...of }) => ({
    list: known.compile(names),
    rows: entryRows((_, rule) => row(layer, "allow", of.origin, of.path, rule)),
  }));
  const missing = Object.freeze(row(layer, "deny", origin, path, name));
  return {
    judge(tool) {
      if (find(own, tool) !== null) return included;
      for (const { list, rows } of added) {
        const entry = find(list, tool);
        if (entry !== null) return rows(entry);
      }
      return missing;
    },
  };
}

/** `alsoAllow`, and what a section grants by being there: who configures `tools.exec` means the agent to have it. */
export function additionsOf(tools: ToolsSection, origin: Origin, path: string): readonly Addition[] {
  return [
    { origin, path: `${path}.alsoAllow`, names: tools.alsoAllow ?? [] },
    { origin, path: `${path}.exec`, names: tools.exec === undefined ? [] : EXEC_SECTION_GRANTS },
    { origin, path: `${path}.fs`, names: tools.fs === undefined ? [] : FS_SECTION_GRANTS },
  ].filter(({ names }) => names.length > 0);
}
