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
    profile: (keys) => keys.map((key) => profiles.get(key)).findLast((step) => step !== undefined) ?? null,
    lists: (keys) => (lists.size === 0 ? NONE : keys.flatMap((key) => lists.get(key) ?? NONE)),
  };
}

const NONE: readonly Step[] = [];

/** From the general to the particular. A model may be named with its provider in front or without. */
export function providerKeys(provider: string | undefined, model: string | undefined): readonly string[] {
  if (provider === undefined && model === undefined) return NO_KEYS;
  const slash = model?.indexOf("/") ?? -1;
  const keys = [
    provider ?? (slash > 0 ? model?.slice(0, slash) : undefined),
    slash > 0 ? model : undefined,
    provider === undefined || model === undefined ? undefined : `${provider}/${model}`,
  ];
  return [...new Set(keys.flatMap((key) => (key === undefined ? [] : [key.toLowerCase()])))];
}

const NO_KEYS: readonly string[] = [];
