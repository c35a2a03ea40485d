import type { JsonObject } from "../../core/json.ts";

/** What an agent is about to do, as its hook was told. */
export type ToolCall = { readonly cwd: string; readonly sessionKey: string; readonly input: JsonObject } & (
  | { readonly kind: "shell"; readonly command: string }
  /** Any other tool: only layer 1 has a word on it. `args` is what that layer looks at. */
  | { readonly kind: "other"; readonly tool: string; readonly args: JsonObject }
);

export type Verdict =
  /** `command` runs the same thing through the daemon; `null` where it cannot be rewritten or nothing is run. */
  | { readonly kind: "allow"; readonly reason: string; readonly command: string | null }
  | { readonly kind: "deny"; readonly reason: string }
  /** The tool's own prompt decides. */
  | { readonly kind: "ask"; readonly reason: string }
  /** Nothing against it: the tool goes on as if there were no hook. */
  | { readonly kind: "pass" };

/** One agent's way of asking a hook, and of being answered. */
export interface HookFormat {
  /** As people write it. */
  readonly title: string;
  /** Whether the agent runs the command that the answer names instead of its own. */
  readonly rewrites: boolean;
  /** A sentence on what is wrong with a payload that cannot be read: it is denied. */
  read(payload: JsonObject): ToolCall | string;
  /** What goes to standard output; `call` is `null` when the payload could not be read. */
  write(verdict: Verdict, call: ToolCall | null): JsonObject | null;
}
