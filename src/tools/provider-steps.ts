import type { Layer, Origin, Step } from "./layer.ts";
import { compileLists, type Reading } from "./list-step.ts";
import { compileProfile } from "./profile-step.ts";
import type { ProviderSection } from "./tool-config.ts";

/** Sections by `provider` or `provider/model`. Every one that fits applies; of their profiles the most particular one is chosen. */
export interface ProviderSteps {
  profile(keys: readonly string[]): Step | null;
  lists(keys: readonly string[]): readonly Step[];
}

export interface WrittenProvider {
  readonly key: string;
  readonly path: string;
  readonly section: ProviderSection;
}

export function compileProviders(
  written: readonly WrittenProvider[],
  layer: Extract<Layer, "provider" | "agent-provider">,
  origin: Origin,
  reading: Reading,
): ProviderSteps {
  const profiles = new Map<string, Step>();
  const lists = new Map<string, readonly Step[]>();
  for (const { key, path, section } of written) {
    const name = key.toLowerCase();
    const step = compileLists(section, { layer, origin, path }, reading);
    if (step !== null) lists.set(name, [...(lists.get(name) ?? []), step]);
    if (section.profile === undefined || profiles.has(name)) continue;
    const additions = [{ origin, path: `${path}.alsoAllow`, names: section.alsoAllow ?? [] }];
    const profile = { name: section.profile, origin, path: `${path}.profile` };
    profiles.set(name, compileProfile("provider-profile", profile, additions, reading.known));
  }
  return {
    profile: (keys) => (profiles.size === 0 ? null : (keys.map((key) => profiles.get(key)).findLast((step) => step !== undefined) ?? null)),
    lists(keys) {
      if (lists.size === 0) return NONE;
      const found: Step[] = [];
      for (const key of keys) for (const step of lists.get(key) ?? NONE) found.push(step);
      return found;
    },
  };
}

const NONE: readonly Step[] = [];
const NO_KEYS: readonly string[] = [];

/** From the general to the particular. A model may be named with its provider in front or without. */
export function providerKeys(provider: string | undefined, model: string | undefined): readonly string[] {
  if (provider === undefined && model === undefined) return NO_KEYS;
  const maker = provider?.toLowerCase();
  const made = model?.toLowerCase() ?? "";
  const slash = made.indexOf("/");
  const keys: string[] = [];
  const add = (key: string): void => void (keys.includes(key) || keys.push(key));
  if (maker !== undefined) add(maker);
  else if (slash > 0) add(made.slice(0, slash));
  if (slash > 0) add(made);
  if (maker !== undefined && made !== "") add(`${maker}/${made}`);
  return keys;
}
