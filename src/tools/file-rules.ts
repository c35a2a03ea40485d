import { type AbsolutePath, isInside, parseAbsolutePath } from "../core/absolute-path.ts";
import { PATHS_PER_CALL_MAX, READ_SIZE_DEFAULT_BYTES } from "../core/limits.ts";
import type { JudgedCall } from "./argument-rules.ts";
import { type LayerRow, type Origin, row } from "./layer.ts";
import { compileAllowedPaths, compileDeniedPaths, type PathList } from "./path-rules.ts";
import { printable } from "./printable.ts";
import { findPlace, type RealPlace } from "./real-place.ts";
import type { ToolMachine } from "./tool-call.ts";
import type { AgentSection, PathSection, ToolConfig, ToolsSection } from "./tool-config.ts";
import type { ToolName } from "./tool-name.ts";

/** Which files the file tools may touch. Global and agent's rules both hold, so the agent's can only narrow. */
export interface FileRules {
  judge(tool: ToolName, call: JudgedCall, machine: ToolMachine): LayerRow;
}

export const FILE_TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit", "apply_patch"]);
/** They show what was there, so what may not be read may not be edited. */
const SHOWING_WRITERS: ReadonlySet<string> = new Set(["edit", "apply_patch"]);

export function compileFileRules({ tools, defaults }: ToolConfig, agent: AgentSection | null): FileRules {
  const scopes: readonly (readonly [ToolsSection, Origin, string])[] = [
    [tools, "global", "tools"],
    ...(agent === null ? [] : [[agent.tools, "agent", `${agent.path}.tools`] as const]),
  ];
  const read = scopes.map(([section, origin, path]) => pathScope(section.read ?? {}, origin, `${path}.read`));
  const write = scopes.map(([section, origin, path]) => pathScope(section.write ?? {}, origin, `${path}.write`));
  const workspace = agent?.workspace ?? defaults.workspace ?? null;
  const fenced = scopes.find(([section]) => section.fs?.workspaceOnly === true);

  const objection = (tool: ToolName, place: RealPlace, home: AbsolutePath | null, machine: ToolMachine): LayerRow | null => {
    if (fenced !== undefined && (home === null || !isInside(place.real, home))) {
      return denied(fenced[1], `${fenced[2]}.fs.workspaceOnly`, `${printable(place.real)} is not in the workspace`);
    }
    const holding = tool === "read" ? read : write;
    const denying = SHOWING_WRITERS.has(tool) ? [...write, ...read] : holding;
    for (const scope of denying) {
      const found = scope.deny.find(place, machine);
      if (found !== null) return denied(scope.origin, `${scope.path}.deny`, found);
    }
    for (const scope of holding) {
      if (scope.allow.isEmpty || scope.allow.find(place, machine) !== null) continue;
      return denied(scope.origin, `${scope.path}.allow`, `${printable(place.real)} is not listed`);
    }
    return tool === "read" ? tooLarge(place, read, machine) : null;
  };

  return {
    judge(tool, call, machine) {
      const asked = pathsIn(call.args["path"]);
      if (asked === null) return denied("default", "", "`args.path` must be a path, or a list of paths");
      const home = workspaceOf(workspace, call.sessionKey ?? "", machine);
      const cwd = cwdOf(call.args["cwd"]) ?? home;
      for (const path of asked) {
        const place = findPlace(path, cwd, machine);
        if (!place.ok) return denied("default", "", place.failure);
        const refusal = inState(place.value, machine) ?? objection(tool, place.value, home, machine);
        if (refusal !== null) return refusal;
      }
      return row("arguments", "allow", "default", "", "no rule denies the path");
    },
  };
}

interface PathScope {
  readonly allow: PathList;
  readonly deny: PathList;
  readonly sizeBytesMax: number | undefined;
  readonly origin: Origin;
  readonly path: string;
}

function pathScope({ allow, deny, maxSizeBytes }: PathSection, origin: Origin, path: string): PathScope {
  return { allow: compileAllowedPaths(allow ?? []), deny: compileDeniedPaths(deny ?? []), sizeBytesMax: maxSizeBytes, origin, path };
}

/** Our own policy, tokens and journal are nobody's to read or write, whatever the policy says. */
function inState({ asked, real }: RealPlace, machine: ToolMachine): LayerRow | null {
  const state = findPlace(machine.stateDirectory, null, machine);
  const places = state.ok ? [machine.stateDirectory, state.value.real] : [machine.stateDirectory];
  const isOurs = places.some((directory) => isInside(asked, directory) || isInside(real, directory));
  return isOurs ? denied("default", "", "the state directory is closed to every tool") : null;
}

function tooLarge({ real }: RealPlace, scopes: readonly PathScope[], machine: ToolMachine): LayerRow | null {
  const strictest = scopes
    .filter(({ sizeBytesMax }) => sizeBytesMax !== undefined)
    .sort((a, b) => (a.sizeBytesMax ?? 0) - (b.sizeBytesMax ?? 0))[0];
  const bytesMax = strictest?.sizeBytesMax ?? READ_SIZE_DEFAULT_BYTES;
  if (isWithinSize(machine.sizeOf(real), bytesMax)) return null;
  return denied(
    strictest?.origin ?? "default",
    strictest === undefined ? "" : `${strictest.path}.maxSizeBytes`,
    `larger than ${bytesMax} bytes`,
  );
}

export function isWithinSize(bytes: number | null, bytesMax: number): boolean {
  return bytes === null || bytes <= bytesMax;
}

/** A session's key becomes one directory name or none: it is not the operator's text. */
function workspaceOf(workspace: string | null, sessionKey: string, machine: ToolMachine): AbsolutePath | null {
  if (workspace === null) return null;
  const isName = /^[A-Za-z0-9][A-Za-z0-9._@-]*$/.test(sessionKey);
  if (workspace.includes("{sessionKey}") && !isName) return null;
  const place = findPlace(
    workspace.replaceAll("{sessionKey}", () => sessionKey),
    null,
    machine,
  );
  return place.ok ? place.value.asked : null;
}

function cwdOf(value: unknown): AbsolutePath | null {
  const cwd = typeof value === "string" ? parseAbsolutePath(value) : null;
  return cwd?.ok === true ? cwd.value : null;
}

function pathsIn(value: unknown): readonly string[] | null {
  const paths: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = paths.filter((path) => typeof path === "string");
  return texts.length === paths.length && texts.length > 0 && texts.length <= PATHS_PER_CALL_MAX ? texts : null;
}

function denied(origin: Origin, path: string, rule: string): LayerRow {
  return row("arguments", "deny", origin, path, rule);
}
