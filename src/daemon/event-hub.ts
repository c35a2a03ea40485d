import type { JsonObject } from "../core/json.ts";
import type { Topic } from "../wire/params/session.ts";

export interface Subscriber {
  readonly role: "gateway" | "operator";
  readonly credential: string;
  readonly topics: ReadonlySet<Topic>;
  send(topic: Topic, params: JsonObject): void;
}

export interface EventHub {
  /** Gives back how to leave again. */
  join(subscriber: Subscriber): () => void;
  /** `credential` is whose doing it was: a gateway hears only of its own; `null` concerns everyone. */
  publish(topic: Topic, credential: string | null, params: JsonObject, forOperators?: JsonObject): void;
  /** An operator who hears of new questions is someone who can answer them. */
  hasOperatorSurface(): boolean;
  wants(topic: Topic): boolean;
}

export function createEventHub(): EventHub {
  const subscribers = new Set<Subscriber>();
  return {
    join: (subscriber) => {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    publish: (topic, credential, params, forOperators = params) => {
      for (const subscriber of subscribers) {
        if (!subscriber.topics.has(topic)) continue;
        if (subscriber.role === "operator") subscriber.send(topic, forOperators);
        else if (credential === null || credential === subscriber.credential) subscriber.send(topic, params);
      }
    },
    hasOperatorSurface: () => [...subscribers].some(({ role, topics }) => role === "operator" && topics.has("exec.approval.requested")),
    wants: (topic) => [...subscribers].some(({ topics }) => topics.has(topic)),
  };
}
