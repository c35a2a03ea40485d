/** The daemon's side of `watch`: what it says becomes inputs, what the person decided goes out. Outlives restarts and a rotated token. */

import { type CallError, isCallError } from "../../client/call-error.ts";
import { type Approval, type Client, connect } from "../../client/client.ts";
import { isApproval } from "../../client/results.ts";
import { ANSWERS_AT_ONCE_MAX } from "../../core/limits.ts";
import { visibleText } from "../../wire/visible.ts";
import type { CommandCall } from "../command.ts";
import { connectOptions } from "../session.ts";
import { allPending } from "../watch-pending.ts";
import { boundsText } from "./bounds.ts";
import type { Answer } from "./state.ts";

export interface Feed {
  /** Fails to the caller's face when there is no daemon, or none that would have us. */
  open(): Promise<void>;
  /** Ends when `signal` fires, and throws what waiting will not mend. */
  follow(listener: FeedListener, signal: AbortSignal): Promise<void>;
  get(id: string): Promise<Approval | null>;
  resolve(ids: readonly string[], answer: Answer, done: (id: string, how: string, failure: string | null) => void): Promise<void>;
  close(): void;
}

export interface FeedListener {
  synced(pending: readonly Approval[]): void;
  arrived(approval: Approval): void;
  settled(id: string, how: string): void;
  lost(reason: string, retryInMs: number): void;
}

const TOPICS = ["exec.approval.requested", "exec.approval.resolved"];

export function openFeed(call: CommandCall): Feed {
  let calls: Promise<Client> | null = null;
  const client = (): Promise<Client> => {
    calls ??= connect(connectOptions(call, "operator"));
    return calls;
  };
  /** The connection for calls goes with a daemon that restarts: one that failed is opened anew, once. */
  const ask = async <Result>(question: (client: Client) => Promise<Result>): Promise<Result> => {
    try {
      return await question(await client());
    } catch (error) {
      calls = null;
      if (!isCallError(error) || !["client.closed", "client.unreachable"].includes(error.code)) throw error;
      return question(await client());
    }
  };

  async function listen(listener: FeedListener, signal: AbortSignal): Promise<void> {
    for await (const happening of (await client()).subscribe(TOPICS, signal)) {
      switch (happening.kind) {
        case "connected":
          listener.synced(await ask(allPending));
          break;
        case "lost":
          calls = null;
          listener.lost(visibleText(happening.error.message), happening.retryInMs);
          break;
        case "event": {
          const { params, topic } = happening;
          if (!isApproval(params)) break;
          if (topic === "exec.approval.requested" && params.state === "pending") listener.arrived(params);
          if (topic === "exec.approval.resolved") listener.settled(params.id, outcomeText(params));
          break;
        }
      }
    }
  }

  return {
    open: async () => void (await client()),
    follow: async (listener, signal) => {
      for (let token = ""; !signal.aborted; ) {
        const options = connectOptions(call, "operator");
        try {
          return await listen(listener, signal);
        } catch (error) {
          // A token that was rotated is read anew; the same one refused twice stays refused.
          const now = "token" in options ? options.token : "";
          if (!isRefusedToken(error) || now === token) throw error;
          token = now;
          calls = null;
        }
      }
    },
    get: async (id) => {
      try {
        return await ask((open) => open.call("exec.approval.get", { id }));
      } catch (error) {
        if (isCallError(error)) return null;
        throw error;
      }
    },
    resolve: async (ids, answer, done) => {
      for (let at = 0; at < ids.length; at += ANSWERS_AT_ONCE_MAX) {
        await Promise.all(
          ids.slice(at, at + ANSWERS_AT_ONCE_MAX).map(async (id) => {
            try {
              const outcome = await ask((open) => open.call("exec.approval.resolve", { id, ...answerParams(answer) }));
              done(id, answeredText(answer, outcome), null);
            } catch (error) {
              if (!isCallError(error)) throw error;
              done(id, "", `${id.slice(0, 8)}: ${visibleText(error.message)}`);
            }
          }),
        );
      }
    },
    close: () => void calls?.then((open) => open.close()).catch(() => undefined),
  };
}

function isRefusedToken(error: unknown): error is CallError {
  return isCallError(error) && ["auth.failed", "client.untrusted-server"].includes(error.code);
}

function answerParams(answer: Answer): Readonly<Record<string, string | number>> {
  switch (answer.decision) {
    case "allow-once":
      return { decision: answer.decision };
    case "deny":
      return { decision: answer.decision, ...(answer.reason === "" ? {} : { reason: answer.reason }) };
    case "allow-always":
      return { decision: answer.decision, scope: answer.scope, ...answer.bounds };
  }
}

interface Outcome {
  readonly state?: string | undefined;
  readonly decision?: string | null | undefined;
  readonly reason?: string | null | undefined;
}

export function outcomeText({ state, decision, reason }: Outcome): string {
  switch (decision ?? state) {
    case "allow-once":
      return "allowed once";
    case "allow-always":
      // For how long, and whether anything could be stored, is known to whoever answered.
      return "allowed";
    case "deny":
      return reason == null ? "denied" : `denied: ${visibleText(reason)}`;
    case "expired":
      return "ran out of time";
    case "cancelled":
      return "taken back by the asker";
    default:
      return visibleText(state ?? "settled");
  }
}

/** An allow-always that could store nothing says so: the same question will come again. */
function answeredText(answer: Answer, outcome: Outcome & { readonly oneShot?: string | null | undefined }): string {
  if (answer.decision !== "allow-always") return outcomeText(outcome);
  return outcome.oneShot == null ? `allowed ${boundsText(answer.bounds)}` : `allowed, this time only: ${visibleText(outcome.oneShot)}`;
}
