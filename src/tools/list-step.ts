import { closest } from "../core/did-you-mean.ts";
import { CORE_TOOLS } from "./catalog.ts";
import type { KnownTools } from "./known-tools.ts";
import { type Layer, type LayerRow, type Origin, row, type Step } from "./layer.ts";
import type { Entry, NameList } from "./name-list.ts";
import { readAllowlist } from "./plugin-only.ts";
import type { NameLists } from "./tool-config.ts";
import { type ToolName, toolName } from "./tool-name.ts";

/** What lists are read with. */
export interface Reading {
  readonly known: KnownTools;
  /** `tools.denyByDefault`: an `allow` that is written empty lets nothing pass. */
  readonly emptyDenies: boolean;
  readonly warn: (warning: string) => void;
}

/** Where lists were written. */
export interface ListPlace {
  readonly layer: Layer;
  readonly origin: Origin;
  /** The section that holds them: `tools`, `agents.list[0].tools`. */
  readonly path: string;
  /** Whether an absent `allow` lets nothing pass either. */
  readonly absentDenies?: boolean;
}

const APPLY_PATCH = toolName("apply_patch");
const EXEC = toolName("exec");

/** One layer's allow, alsoAllow and deny. `null` when they hold nothing. */
export function compileLists(lists: NameLists, place: ListPlace, reading: Reading): Step | null {
  const { layer, origin, path } = place;
  const deny = reading.known.compile(lists.deny ?? []);
  const refusals = entryRows((index, rule) => row(layer, "deny", origin, `${path}.deny[${index}]`, rule));
  const allowed = allowedBy(lists, place, reading);
  warnOfUnknown("deny", lists.deny ?? [], path, reading);
  if (allowed === null && deny.length === 0) return null;
  return {
    judge(tool) {
      const denied = deny.find(tool);
      if (denied !== null) return refusals(denied);
      return allowed === null ? null : allowed(tool);
    },
  };
}

/** `null` when nothing filters: an absent or empty `allow` means that all pass. */
function allowedBy(lists: NameLists, place: ListPlace, reading: Reading): Step["judge"] | null {
  const { layer, origin, path } = place;
  const written = lists.allow ?? [];
  const { allow: kept, unknown, stripped } = readAllowlist(written, reading.known);
  warnOfReading(unknown, stripped, written.length, path, reading);
  const emptyFilters = lists.allow === undefined ? place.absentDenies === true : reading.emptyDenies;
  if (written.length > 0 ? kept === null : !emptyFilters) return null;
  const allow = reading.known.compile(kept ?? []);
  const also = reading.known.compile(lists.alsoAllow ?? []);
  const listed = entryRows((index, rule) => row(layer, "allow", origin, `${path}.allow[${index}]`, rule));
  const added = entryRows((index, rule) => row(layer, "allow", origin, `${path}.alsoAllow[${index}]`, rule));
  const unlisted = row(layer, "deny", origin, `${path}.allow`, written.length > 0 ? "not listed" : "denied by default");
  return (tool) => {
    const entry = find(allow, tool);
    if (entry !== null) return listed(entry);
    const other = find(also, tool);
    return other === null ? unlisted : added(other);
  };
}

/** Who may run commands can change any file, so a list that lets `exec` pass lets `apply_patch` pass too. A deny of it still wins. */
export function find(list: NameList, tool: ToolName): Entry | null {
  return list.find(tool) ?? (tool === APPLY_PATCH ? list.find(EXEC) : null);
}

/** What an entry says is the same every time it is asked, so it is written out when it is first needed, and kept. */
export function entryRows(make: (index: number, rule: string) => LayerRow): (entry: Entry) => LayerRow {
  const rows: LayerRow[] = [];
  return ({ index, written }) => (rows[index] ??= Object.freeze(make(index, written)));
}

function warnOfReading(unknown: readonly string[], stripped: boolean, count: number, path: string, { warn }: Reading): void {
  if (stripped) warn(`\`${path}.allow\` names plugin tools alone and is not used as a filter; write \`alsoAllow\` to add them`);
  if (unknown.length > 0)
    warn(unknownNames(`${path}.allow`, unknown) + (unknown.length === count ? "; it lets nothing else pass, which is a mistake" : ""));
}

/** A misspelt deny denies nothing, which nobody would notice. */
export function warnOfUnknown(key: "deny" | "alsoAllow", written: readonly string[], path: string, { known, warn }: Reading): void {
  const unknown = written.filter((entry) => !known.knows(entry));
  if (unknown.length > 0) warn(unknownNames(`${path}.${key}`, unknown));
}

function unknownNames(path: string, unknown: readonly string[]): string {
  const names = unknown.map((name) => `\`${name}\``).join(", ");
  const meant = unknown.length === 1 ? closest(toolName(unknown[0] ?? ""), CORE_TOOLS) : null;
  return `\`${path}\` names ${names}, which no built-in tool, plugin or channel is called${meant === null ? "" : `; did you mean \`${meant}\`?`}`;
}
