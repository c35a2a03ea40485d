import { type AbsolutePath, parseAbsolutePath } from "../../src/core/absolute-path.ts";
import type { ToolMachine } from "../../src/tools/tool-call.ts";

/** A machine that a test writes down: which links there are, how large files are, what names resolve to. */
export interface MachineTable {
  readonly home?: string;
  readonly stateDirectory?: string;
  readonly links?: Readonly<Record<string, string>>;
  /** What may not be looked at. */
  readonly hidden?: readonly string[];
  readonly sizes?: Readonly<Record<string, number>>;
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
  /** What every other name resolves to; nothing when absent. */
  readonly others?: readonly string[];
}

/** Of a public host. */
export const PUBLIC_ADDRESS = "93.184.216.34";

export function toolMachine(table: MachineTable = {}): ToolMachine {
  return {
    home: path(table.home ?? "/home/u"),
    stateDirectory: path(table.stateDirectory ?? "/home/u/.local/state/countersign"),
    linkAt: (at) => {
      const target = table.links?.[at];
      return table.hidden?.includes(at) === true ? "hidden" : target === undefined ? "none" : { target };
    },
    realPath: (at) => at,
    sizeOf: (at) => table.sizes?.[at] ?? null,
    addressesOf: (host) => table.addresses?.[host] ?? table.others ?? null,
  };
}

export function path(text: string): AbsolutePath {
  const parsed = parseAbsolutePath(text);
  if (!parsed.ok) throw new Error(`not an absolute path: ${text}`);
  return parsed.value;
}
