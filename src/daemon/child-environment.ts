import { type Environment, toEnvironment } from "../core/environment.ts";

/** What the child gets, built from nothing: nothing of the daemon's own environment reaches it unless it is named here or in the settings. */
const KEPT = ["HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TERM", "TMPDIR", "XDG_RUNTIME_DIR"] as const;

export interface EnvironmentParts {
  /** The daemon's environment as it was at start. */
  readonly atStart: Readonly<Record<string, string | undefined>>;
  readonly path: readonly string[];
  /** Names from `tools.exec.env.pass`, already without the forbidden ones. */
  readonly pass: readonly string[];
  readonly overrides: Readonly<Record<string, string>>;
  /** Under `tools.exec.runAs`: who the child is instead. */
  readonly identity: Readonly<Record<string, string>>;
}

/** Most commands override nothing, and then the environment of one is that of the next for as long as PATH and the settings are the same. */
const plain = new WeakMap<readonly string[], { readonly from: EnvironmentParts; readonly made: Environment }>();

export function childEnvironment(parts: EnvironmentParts): Environment {
  if (Object.keys(parts.overrides).length > 0) return made(parts);
  const before = plain.get(parts.path);
  if (before !== undefined && isSame(before.from, parts)) return before.made;
  const environment = made(parts);
  plain.set(parts.path, { from: parts, made: environment });
  return environment;
}

/** The identity is built anew for every request, and under `runAs` it is somebody's: it is compared, not recognised. */
function isSame(a: EnvironmentParts, b: EnvironmentParts): boolean {
  if (a.atStart !== b.atStart || a.pass !== b.pass) return false;
  const names = Object.keys(b.identity);
  return names.length === Object.keys(a.identity).length && names.every((name) => a.identity[name] === b.identity[name]);
}

function made(parts: EnvironmentParts): Environment {
  const locale = Object.keys(parts.atStart).filter((name) => name.startsWith("LC_"));
  const kept = [...KEPT, ...locale, ...parts.pass].flatMap((name): [string, string][] => {
    const value = parts.atStart[name];
    return value === undefined || value.includes("\0") ? [] : [[name, value]];
  });
  return toEnvironment(
    new Map([...kept, ...Object.entries(parts.identity), ["PATH", parts.path.join(":")], ...Object.entries(parts.overrides)]),
  );
}
