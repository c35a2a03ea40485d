/**
 * Codex's `PreToolUse` hook, as documented for its `hooks.json`: it can deny, and takes neither an allow nor another input. So a command
 * that may run is left to Codex's own sandbox and approvals, and people are told that it is not bound.
 */
import type { HookFormat } from "./format.ts";
import { readCall } from "./read-call.ts";

const EVENT = "PreToolUse";

export const codex: HookFormat = {
  title: "Codex",
  rewrites: false,
  read: (payload) =>
    readCall(payload, {
      event: EVENT,
      shells: ["Bash", "shell", "exec_command"],
      tools: { apply_patch: ["apply_patch"] },
      directories: ["workdir"],
    }),
  write: (verdict) => {
    switch (verdict.kind) {
      case "pass":
        return null;
      case "deny":
        return {
          hookSpecificOutput: { hookEventName: EVENT, permissionDecision: "deny", permissionDecisionReason: verdict.reason },
        };
      case "allow":
      case "ask":
        return { systemMessage: verdict.reason };
    }
  },
};
