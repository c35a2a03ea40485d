/** One thing the doctor looked at: how it is, and what to do about it. */
export interface Finding {
  /** `state directory`, `socket`, `settings` …: what a person would call it. */
  readonly about: string;
  /** `fails`: the daemon refuses to start or to work. `weak`: it works, and less safely than it could. `note`: worth knowing. */
  readonly level: "good" | "note" | "weak" | "fails";
  readonly message: string;
  /** What to do; absent where nothing needs doing. */
  readonly remedy?: string;
  readonly path?: string;
  /** Mends it, if `--fix` was given and it is ours to mend. Throws when it cannot. */
  readonly fix?: () => void;
}

export type Mended = Omit<Finding, "fix"> & { readonly fixed?: boolean };

/** Applies every fix there is. What was mended is reported as such; what could not be stays as it was found. */
export function mended(findings: readonly Finding[], fixing: boolean): readonly Mended[] {
  return findings.map(({ fix, ...finding }) => {
    if (!fixing || fix === undefined) return finding;
    try {
      fix();
      return { ...finding, fixed: true };
    } catch {
      return { ...finding, fixed: false };
    }
  });
}
