/** Between a connection and the methods: who asks, and what they listen to. */
import type { JsonObject } from "../core/json.ts";
import type { Topic } from "../wire/params/session.ts";
import { askerOf } from "./asker.ts";
import type { CallContext, Handler } from "./call-context.ts";
import type { Dispatch } from "./dispatch.ts";
import type { EventHub } from "./event-hub.ts";

interface Subscription {
  topics: ReadonlySet<Topic>;
  readonly leave: () => void;
}

export function createHandler(dispatch: Dispatch, hub: EventHub): Handler {
  const subscriptions = new Map<number, Subscription>();

  function subscribe(context: CallContext, topics: readonly Topic[]): void {
    const known = subscriptions.get(context.connectionId);
    if (known !== undefined) {
      known.topics = new Set([...known.topics, ...topics]);
      return;
    }
    const release = context.retain();
    const { role, credential } = context.caller;
    // Events are told, not awaited: a listener who does not keep up is dropped by the connection's own bound.
    const send = (topic: Topic, params: JsonObject): void => void context.notify(topic, params);
    const subscription: Subscription = {
      topics: new Set(topics),
      leave: () => {
        leaveHub();
        release();
        subscriptions.delete(context.connectionId);
      },
    };
    const leaveHub = hub.join({
      role,
      credential,
      get topics() {
        return subscription.topics;
      },
      send,
    });
    subscriptions.set(context.connectionId, subscription);
    context.signal.addEventListener("abort", subscription.leave, { once: true });
  }

  function unsubscribe(context: CallContext, topics: readonly Topic[] | undefined): void {
    const known = subscriptions.get(context.connectionId);
    if (known === undefined) return;
    known.topics = new Set([...known.topics].filter((topic) => topics !== undefined && !topics.includes(topic)));
    if (known.topics.size > 0) return;
    context.signal.removeEventListener("abort", known.leave);
    known.leave();
  }

  return (call, context) =>
    dispatch(call, {
      asker: askerOf(context.caller, context.agentId, context.peer),
      signal: context.signal,
      notify: (method, params) => context.notify(method, params),
      subscribe: (topics) => subscribe(context, topics),
      unsubscribe: (topics) => unsubscribe(context, topics),
    });
}
