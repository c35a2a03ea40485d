import { type Denial, denial } from "../core/denial.ts";
import { isEnvName } from "../core/environment.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { ExecSettings } from "./exec-settings.ts";
import { FORBIDDEN_NAMES, FORBIDDEN_PREFIXES, FORBIDDEN_SHAPES, HARMLESS } from "./forbidden-env.ts";
import { compileGlob } from "./glob.ts";

/** Overrides that may be given without a word, and those that count as an allowlist miss. Names alone: values are never repeated. */
export interface JudgedOverrides {
  readonly free: readonly string[];
  readonly missed: readonly string[];
}

const NOTHING_OVERRIDDEN: JudgedOverrides = { free: [], missed: [] };

/** A malformed name is told as such before it is looked up: what cannot be a variable cannot be a dangerous one. */
export function judgeOverrides(
  overrides: Readonly<Record<string, string>>,
  settings: Pick<ExecSettings, "envAllowOverride">,
): Result<JudgedOverrides, Denial> {
  if (Object.keys(overrides).length === 0) return ok(NOTHING_OVERRIDDEN);
  const { invalid, forbidden } = refusedOverrides(overrides);
  if (invalid.length > 0) {
    const message = `${listed(invalid)} cannot be set; names are letters, digits and underscores, and values hold no NUL`;
    return fail(denial("env.invalid", message, { names: invalid }));
  }
  if (forbidden.length > 0) {
    const message = `${listed(forbidden)} can change what runs or whom it trusts; ask the operator to set it up instead`;
    return fail(denial("env.forbidden", message, { names: forbidden }));
  }
  const allowed = settings.envAllowOverride.map(compileGlob);
  const free: string[] = [];
  const missed: string[] = [];
  for (const [name, value] of Object.entries(overrides)) {
    const isFree = allowed.some((glob) => glob(name)) && isPlainValue(name, value);
    (isFree ? free : missed).push(name);
  }
  return ok({ free, missed });
}

/** The names that are refused, each in the spelling under which it is refused. */
export function refusedOverrides(overrides: Readonly<Record<string, string>>): {
  readonly invalid: readonly string[];
  readonly forbidden: readonly string[];
} {
  const entries = Object.entries(overrides);
  const invalid = entries.filter(([name, value]) => !isEnvName(name) || value.includes("\0")).map(([name]) => name);
  const forbidden = entries.filter(([name]) => isEnvName(name) && isForbiddenName(name)).map(([name]) => name.toUpperCase());
  return { invalid, forbidden };
}

export function isForbiddenName(name: string): boolean {
  const upper = name.toUpperCase();
  if (HARMLESS.has(upper)) return false;
  if (FORBIDDEN_NAMES.has(upper) || FORBIDDEN_SHAPES.some((shape) => shape.test(upper))) return true;
  return FORBIDDEN_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/** What `tools.exec.env.pass` lets through of the daemon's own environment: what it names, and a forbidden name not even then. */
export function passedFrom(base: Readonly<Record<string, unknown>>, pass: readonly string[]): ReadonlyMap<string, string> {
  const globs = pass.map(compileGlob);
  const passed = new Map<string, string>();
  for (const [name, value] of Object.entries(base)) {
    if (typeof value !== "string" || value.includes("\0") || !isEnvName(name) || isForbiddenName(name)) continue;
    if (globs.some((glob) => glob(name))) passed.set(name, value);
  }
  return passed;
}

/**
 * A free variable is free for its everyday values. A locale in another encoding makes shells split the same bytes elsewhere, and `TZ` or
 * `TERM` with a slash in it names a file to be read, tzset(3).
 */
function isPlainValue(name: string, value: string): boolean {
  if (name === "LANG" || name.startsWith("LC_")) return /^(?:C|POSIX|[A-Za-z0-9_@-]+\.UTF-8)$/.test(value);
  if (name === "TZ") return /^:?[A-Za-z0-9_+,.:/-]*$/.test(value) && !/^:?\/|\.\./.test(value);
  return !value.includes("/");
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${JSON.stringify(name).slice(1, -1)}\``).join(", ");
}
