import { EXEC_SECTION_GRANTS, FS_SECTION_GRANTS, PROFILES } from "./catalog.ts";
import { type Layer, type Origin, row, type Step } from "./layer.ts";
import { find } from "./list-step.ts";
import { compileNames, type Plugins } from "./name-list.ts";
import type { ProfileName, ToolsSection } from "./tool-config.ts";

/** Tools that stand beside the profile, and who put them there. */
export interface Addition {
  readonly origin: Origin;
  readonly path: string;
  readonly names: readonly string[];
}

/** The place to start from. Tools that the profile lacks are there only if somebody added them by name. */
export function compileProfile(
  layer: Layer,
  profile: { readonly name: ProfileName; readonly origin: Origin; readonly path: string },
  additions: readonly Addition[],
  plugins: Plugins,
): Step {
  const { name, origin, path } = profile;
  const included = row(layer, "allow", origin, path, name);
  const members = PROFILES[name];
  if (members === null) return { judge: () => included };
  const own = compileNames(members, plugins);
  const added = additions.map((addition) => ({ ...addition, list: compileNames(addition.names, plugins) }));
  const missing = row(layer, "deny", origin, path, name);
  return {
    judge(tool) {
      if (find(own, tool) !== null) return included;
      for (const { list, ...addition } of added) {
        const entry = find(list, tool);
        if (entry !== null) return row(layer, "allow", addition.origin, addition.path, entry.written);
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
