import { POLICY_WARNINGS_MAX } from "../core/limits.ts";

/** Says each thing once. The oldest is forgotten when there are too many, so that a policy that is reloaded for months stays small. */
export class WarningMemory {
  readonly #said = new Set<string>();

  /** Whether this was not said before. */
  isNews(warning: string): boolean {
    const isNews = !this.#said.delete(warning);
    this.#said.add(warning);
    const [oldest] = this.#said;
    if (this.#said.size > POLICY_WARNINGS_MAX && oldest !== undefined) this.#said.delete(oldest);
    return isNews;
  }
}

/** De-duplicated and bounded: what a policy has to say when it is compiled. */
export function distinctWarnings(warnings: readonly string[]): readonly string[] {
  return [...new Set(warnings)].slice(0, POLICY_WARNINGS_MAX);
}
