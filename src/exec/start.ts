import type { AbsolutePath } from "../core/absolute-path.ts";
import type { EnforcementLevel } from "../policy/exec-settings.ts";
import type { HeldDirectory, HeldFile } from "./held.ts";

/** One process to start, with everything about it decided. */
export interface Start {
  /** A path, or `/proc/self/fd/N` for a file we hold. */
  readonly file: string;
  readonly argv: readonly string[];
  /** `NAME=value`, the run's marker included. */
  readonly environment: readonly string[];
  readonly cwd: HeldDirectory;
  /** Sealed scripts, under the numbers by which the argv names them. */
  readonly passed: readonly PassedDescriptor[];
  /** Descriptors that were made for this start alone. */
  readonly copies: readonly number[];
  readonly level: EnforcementLevel;
  /** Whatever could still change under us. */
  readonly watched: readonly Watched[];
  /** Every file of the evidence that is accounted for here. */
  readonly covered: ReadonlySet<AbsolutePath>;
  /** For people: what was asked to be started. */
  readonly name: string;
}

export interface Watched {
  readonly file: HeldFile;
  /** The name under which somebody else will open it; `null` when we start it by its descriptor. */
  readonly goesBy: string | null;
}

export interface PassedDescriptor {
  readonly ours: number;
  readonly childs: number;
}

/** High, because scripts like to use 3 to 9 themselves, and below 100, where our own begin. */
export const CHILD_DESCRIPTOR_FIRST = 63;

const ORDER: readonly EnforcementLevel[] = ["checked", "pinned", "sealed"];

export function lowestOf(levels: readonly EnforcementLevel[]): EnforcementLevel {
  return ORDER.find((level) => levels.includes(level)) ?? "sealed";
}

export function isBelow(level: EnforcementLevel, wanted: EnforcementLevel): boolean {
  return ORDER.indexOf(level) < ORDER.indexOf(wanted);
}
