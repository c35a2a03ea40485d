import { closest } from "../core/did-you-mean.ts";
import { CORE_TOOLS } from "./catalog.ts";
import { type Layer, type Origin, row, type Step } from "./layer.ts";
import { compileNames, type NameList, type Plugins } from "./name-list.ts";
import { readAllowlist } from "./plugin-only.ts";
import type { NameLists } from "./tool-config.ts";
import { type ToolName, toolName } from "./tool-name.ts";

/** Where lists were written, and what they are read with. */
export interface ListPlace {
  readonly layer: Layer;
  readonly origin: Origin;
  /** The section that holds them: `tools`, `agents.list[0].tools`. */
  readonly path: string;
  readonly plugins: Plugins;
  /** `tools.denyByDefault`: an `allow` that is empty lets nothing pass; and so does an absent one where `absentDenies` says so. */
  readonly emptyDenies: boolean;
  readonly absentDenies: boolean;
  warn(warning: string): void;
}

const APPLY_PATCH = toolName("apply_patch");
const EXEC = toolName("exec");

/** One layer's allow, alsoAllow and deny. `null` when they hold nothing. */
export function compileLists(lists: NameLists, place: ListPlace): Step | null {
  const { layer, origin, path, plugins } = place;
  const deny = compileNames(lists.deny ?? [], plugins);
  const allowed = allowedBy(lists, place);
  warnOfUnknown("deny", lists.deny ?? [], place);
  if (allowed === null && (lists.deny ?? []).length === 0) return null;
  return {
    judge(tool) {
      const denied = deny.find(tool);
      if (denied !== null) return row(layer, "deny", origin, `${path}.deny[${denied.index}]`, denied.written);
      return allowed === null ? null : allowed(tool);
    },
  };
}

/** `null` when nothing filters: an absent or empty `allow` means that all pass. */
function allowedBy(lists: NameLists, place: ListPlace): Step["judge"] | null {
  const { layer, origin, path, plugins } = place;
  const written = lists.allow ?? [];
  const reading = readAllowlist(written, plugins);
  warnOfReading(reading, place);
  const filters = written.length > 0 ? reading.allow !== null : lists.allow === undefined ? place.absentDenies : place.emptyDenies;
  if (!filters) return null;
  const allow = compileNames(reading.allow ?? [], plugins);
  const also = compileNames(lists.alsoAllow ?? [], plugins);
  const unlisted = row(layer, "deny", origin, `${path}.allow`, written.length > 0 ? "not listed" : "denied by default");
  return (tool) => {
    const found = find(allow, tool);
    if (found !== null) return row(layer, "allow", origin, `${path}.allow[${found.index}]`, found.written);
    const added = find(also, tool);
    return added === null ? unlisted : row(layer, "allow", origin, `${path}.alsoAllow[${added.index}]`, added.written);
  };
}

/** Who may run commands can change any file, so a list that lets `exec` pass lets `apply_patch` pass too. A deny of it still wins. */
export function find(list: NameList, tool: ToolName): ReturnType<NameList["find"]> {
  return list.find(tool) ?? (tool === APPLY_PATCH ? list.find(EXEC) : null);
}

function warnOfReading({ unknown, stripped, allow }: ReturnType<typeof readAllowlist>, place: ListPlace): void {
  const list = `\`${place.path}.allow\``;
  if (stripped) place.warn(`${list} names plugin tools alone and is not used as a filter; write \`alsoAllow\` to add them`);
  if (unknown.length === 0) return;
  const isMistake = unknown.length === allow?.length;
  place.warn(
    `${list} names ${quoted(unknown)}, which no built-in tool, plugin or channel is called${hint(unknown)}` +
      (isMistake ? "; it lets nothing else pass, which is a mistake" : ""),
  );
}

/** A misspelt deny denies nothing, which nobody would notice. */
export function warnOfUnknown(
  key: "deny" | "alsoAllow",
  written: readonly string[],
  place: Pick<ListPlace, "path" | "plugins" | "warn">,
): void {
  const { unknown } = readAllowlist(written, place.plugins);
  if (unknown.length === 0) return;
  place.warn(`\`${place.path}.${key}\` names ${quoted(unknown)}, which no built-in tool, plugin or channel is called${hint(unknown)}`);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function hint(unknown: readonly string[]): string {
  const meant = unknown.length === 1 ? closest(toolName(unknown[0] ?? ""), CORE_TOOLS) : null;
  return meant === null ? "" : `; did you mean \`${meant}\`?`;
}
