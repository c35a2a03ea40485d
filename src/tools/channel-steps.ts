import type { Step } from "./layer.ts";
import { compileLists, type Reading } from "./list-step.ts";
import type { ChannelSection, NameLists } from "./tool-config.ts";

/** Which tools pass in a channel's conversations, and in one group of it. `*` stands for every group. */
export interface ChannelSteps {
  of(channel: string | null, group: string | null): readonly Step[];
}

export function compileChannels(channels: ReadonlyMap<string, ChannelSection>, reading: Reading): ChannelSteps {
  const steps = new Map<string, readonly Step[]>();
  const keep = (key: string, lists: NameLists | undefined, path: string): void => {
    const step = lists === undefined ? null : compileLists(lists, { layer: "group", origin: "global", path }, reading);
    if (step !== null) steps.set(key, [...(steps.get(key) ?? []), step]);
  };
  for (const [name, { tools, groups }] of channels) {
    const channel = name.toLowerCase();
    keep(channel, tools, `channels.${name}.tools`);
    for (const [group, section] of groups ?? []) keep(keyOf(channel, group), section.tools, `channels.${name}.groups["${group}"].tools`);
  }
  return {
    of(channel, group) {
      if (channel === null || steps.size === 0) return NONE;
      const name = channel.toLowerCase();
      const keys = group === null ? [name] : [name, keyOf(name, "*"), keyOf(name, group)];
      return keys.flatMap((key) => steps.get(key) ?? NONE);
    },
  };
}

const NONE: readonly Step[] = [];

function keyOf(channel: string, group: string): string {
  return `${channel}\0${group}`;
}
