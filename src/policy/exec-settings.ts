import { OUTPUT_BYTES_DEFAULT, RUN_TIMEOUT_MAX_DEFAULT_MS } from "../core/limits.ts";

export type Security = "deny" | "allowlist" | "full";
export type Ask = "off" | "on-miss" | "always";
export type AskFallback = "deny" | "allowlist" | "full";
export type EnforcementLevel = "sealed" | "pinned" | "checked";

/** `tools.exec` of the settings file, with an agent's own section laid over it. Unset members leave the word to `exec-approvals.json`. */
export interface ExecSettings {
  readonly security?: Security;
  readonly ask?: Ask;
  readonly askFallback?: AskFallback;
  readonly strictInlineEval: boolean;
  readonly autoAllowSkills: boolean;
  readonly unanalysable: "deny" | "ask";
  readonly unbound: "ask" | "refuse";
  readonly safeBins: readonly string[];
  readonly safeBinTrustedDirs: readonly string[];
  readonly safeBinProfiles: Readonly<Record<string, SafeBinProfile>>;
  readonly skillBins: readonly { readonly name: string; readonly path: string }[];
  /** The child's PATH entries; unset means the daemon's own, cleaned. */
  readonly path?: readonly string[];
  readonly pathPrepend: readonly string[];
  readonly envPass: readonly string[];
  readonly envAllowOverride: readonly string[];
  readonly minEnforcement?: EnforcementLevel;
  readonly runAs?: string;
  readonly maxTimeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface SafeBinProfile {
  readonly minPositional?: number;
  readonly maxPositional?: number;
  readonly allowedValueFlags?: readonly string[];
  readonly deniedFlags?: readonly string[];
}

export const EXEC_SETTINGS_DEFAULT: ExecSettings = {
  strictInlineEval: false,
  autoAllowSkills: false,
  unanalysable: "deny",
  unbound: "ask",
  safeBins: ["cut", "uniq", "head", "tail", "tr", "wc"],
  safeBinTrustedDirs: ["/bin", "/usr/bin"],
  safeBinProfiles: {},
  skillBins: [],
  pathPrepend: [],
  envPass: [],
  envAllowOverride: ["LANG", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TZ", "CI"],
  maxTimeoutMs: RUN_TIMEOUT_MAX_DEFAULT_MS,
  maxOutputBytes: OUTPUT_BYTES_DEFAULT,
};
