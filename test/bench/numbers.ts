/** Medians and ratios, and what was promised about them. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export interface Finding {
  readonly name: string;
  readonly value: number;
  readonly unit: "×" | "ms" | "MB" | "/s" | "";
  /** `null` where a number is shown beside the others and nothing was promised about it. */
  readonly limit: { readonly at: "most" | "least"; readonly value: number } | null;
  readonly detail: string;
}

export function atMost(name: string, value: number, limit: number, unit: Finding["unit"], detail: string): Finding {
  return { name, value, unit, limit: { at: "most", value: limit }, detail };
}

export function atLeast(name: string, value: number, limit: number, unit: Finding["unit"], detail: string): Finding {
  return { name, value, unit, limit: { at: "least", value: limit }, detail };
}

export function shownBeside(name: string, value: number, unit: Finding["unit"], detail: string): Finding {
  return { name, value, unit, limit: null, detail };
}

export function isMet({ value, limit }: Finding): boolean {
  if (limit === null) return true;
  return limit.at === "most" ? value <= limit.value : value >= limit.value;
}
