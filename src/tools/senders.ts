import type { Sender, SenderFacts } from "./tool-call.ts";
import type { AllowFrom } from "./tool-config.ts";

/** Who may use elevated mode. Values are compared as they stand: nothing is trimmed, folded or stripped of a sign. */
export interface SenderList {
  /** The entry that names this sender, as it was written. */
  find(sender: Sender | undefined, channel: string | undefined): string | null;
}

const FIELDS = ["id", "from", "name", "username", "tag", "e164"] as const;
type Field = (typeof FIELDS)[number];

type Matcher = (sender: SenderFacts, channel: string) => boolean;

export function compileSenders(allowFrom: AllowFrom, path: string, warn: (warning: string) => void): SenderList {
  const entries =
    "get" in allowFrom
      ? [...allowFrom].flatMap(([channel, list]) => list.map((written) => ({ written, matches: onChannel(written, channel) })))
      : allowFrom.map((written) => ({ written, matches: anywhere(written) }));
  for (const { written, matches } of entries) if (matches === null) warn(unusable(path, written));
  return {
    find(sender, channel) {
      if (sender === undefined || channel === undefined) return null;
      const facts = typeof sender === "string" ? { id: withoutChannel(sender, channel) } : sender;
      return entries.find(({ matches }) => matches?.(facts, channel) === true)?.written ?? null;
    },
  };
}

/** In a flat list an entry names a field, or a channel and the id that the sender has there; ids of different channels may be equal. */
function anywhere(written: string): Matcher | null {
  if (written === "*") return () => true;
  const { before, after } = cut(written);
  if (after === "") return null;
  const field = FIELDS.find((each) => each === before);
  if (field !== undefined) return byField(field, after);
  const byId = byNumber(after);
  return (sender, channel) => channel === before && byId(sender, channel);
}

/** In a channel's own list a bare value is an id. A name that anyone can give themselves counts only when its field is spelt out. */
function onChannel(written: string, of: string): Matcher {
  const { before, after } = cut(written);
  const field = FIELDS.find((each) => each === before);
  const matches = written === "*" ? () => true : field !== undefined ? byField(field, after) : byNumber(before === of ? after : written);
  return (sender, channel) => channel === of && matches(sender, channel);
}

function byField(field: Field, value: string): Matcher {
  if (field !== "from") return (sender) => sender[field] === value;
  return (sender, channel) => sender.from === value || sender.from === `${channel}:${value}`;
}

/** What the platform gave the sender and the sender cannot change. */
function byNumber(value: string): Matcher {
  return (sender, channel) => sender.id === value || sender.e164 === value || sender.from === `${channel}:${value}`;
}

function withoutChannel(sender: string, channel: string): string {
  return sender.startsWith(`${channel}:`) ? sender.slice(channel.length + 1) : sender;
}

function cut(written: string): { readonly before: string; readonly after: string } {
  const colon = written.indexOf(":");
  return colon < 0 ? { before: "", after: "" } : { before: written.slice(0, colon), after: written.slice(colon + 1) };
}

function unusable(path: string, written: string): string {
  return `\`${path}\` has \`${written}\`, which names nobody; write \`id:${written}\`, \`username:${written}\` or a channel and an id`;
}
