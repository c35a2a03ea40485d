import { EXEC_SETTINGS_DEFAULT, type ExecSettings } from "../policy/exec-settings.ts";
import { moreAsking, stricterSecurity } from "../policy/strictness.ts";
import type { ExecSection } from "./exec-table.ts";

/**
 * Sections from the general to the particular, laid over each other member by member. How strictly commands are judged can only be
 * narrowed on the way: `security: "full"` for one agent does not undo `"allowlist"` for all.
 */
export function layExec(sections: readonly ExecSection[], skillBins: ExecSettings["skillBins"]): ExecSettings {
  const laid = sections.reduce(layOver, {});
  const { security, ask, askFallback, path, minEnforcement, runAs, env } = laid;
  return Object.freeze({
    ...(security === undefined ? {} : { security }),
    ...(ask === undefined ? {} : { ask }),
    ...(askFallback === undefined ? {} : { askFallback }),
    strictInlineEval: laid.strictInlineEval ?? EXEC_SETTINGS_DEFAULT.strictInlineEval,
    autoAllowSkills: laid.autoAllowSkills ?? EXEC_SETTINGS_DEFAULT.autoAllowSkills,
    unanalysable: laid.unanalysable ?? EXEC_SETTINGS_DEFAULT.unanalysable,
    unbound: laid.unbound ?? EXEC_SETTINGS_DEFAULT.unbound,
    safeBins: laid.safeBins ?? EXEC_SETTINGS_DEFAULT.safeBins,
    safeBinTrustedDirs: laid.safeBinTrustedDirs ?? EXEC_SETTINGS_DEFAULT.safeBinTrustedDirs,
    safeBinProfiles: laid.safeBinProfiles === undefined ? EXEC_SETTINGS_DEFAULT.safeBinProfiles : Object.fromEntries(laid.safeBinProfiles),
    skillBins,
    ...(path === undefined ? {} : { path }),
    pathPrepend: laid.pathPrepend ?? EXEC_SETTINGS_DEFAULT.pathPrepend,
    envPass: env?.pass ?? EXEC_SETTINGS_DEFAULT.envPass,
    envAllowOverride: env?.allowOverride ?? EXEC_SETTINGS_DEFAULT.envAllowOverride,
    ...(minEnforcement === undefined ? {} : { minEnforcement }),
    ...(runAs === undefined ? {} : { runAs }),
    maxTimeoutMs: laid.maxTimeoutMs ?? EXEC_SETTINGS_DEFAULT.maxTimeoutMs,
    maxOutputBytes: laid.maxOutputBytes ?? EXEC_SETTINGS_DEFAULT.maxOutputBytes,
  });
}

function layOver(below: ExecSection, above: ExecSection): ExecSection {
  const security = stricter(below.security, above.security, stricterSecurity);
  const ask = stricter(below.ask, above.ask, moreAsking);
  const askFallback = stricter(below.askFallback, above.askFallback, stricterSecurity);
  return {
    ...below,
    ...above,
    env: { ...below.env, ...above.env },
    ...(security === undefined ? {} : { security }),
    ...(ask === undefined ? {} : { ask }),
    ...(askFallback === undefined ? {} : { askFallback }),
  };
}

function stricter<Value>(below: Value | undefined, above: Value | undefined, of: (a: Value, b: Value) => Value): Value | undefined {
  return below === undefined || above === undefined ? (above ?? below) : of(below, above);
}
