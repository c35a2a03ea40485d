/** Claude Code's `PreToolUse` hook, as documented for 2.0.10 and later, which may answer with another input. */
import type { HookFormat } from "./format.ts";
import { readCall } from "./read-call.ts";

const EVENT = "PreToolUse";

export const claudeCode: HookFormat = {
  title: "Claude Code",
  rewrites: true,
  read: (payload) =>
    readCall(payload, {
      event: EVENT,
      shells: ["Bash"],
      tools: {
        Read: ["read", "file_path"],
        NotebookRead: ["read", "notebook_path"],
        Write: ["write", "file_path"],
        Edit: ["edit", "file_path"],
        MultiEdit: ["edit", "file_path"],
        NotebookEdit: ["edit", "notebook_path"],
        WebFetch: ["web_fetch", "url"],
        WebSearch: ["web_search"],
      },
      directories: [],
    }),
  write: (verdict, call) => {
    if (verdict.kind === "pass") return null;
    const updatedInput =
      verdict.kind === "allow" && verdict.command !== null ? { updatedInput: { ...call?.input, command: verdict.command } } : {};
    return {
      hookSpecificOutput: {
        hookEventName: EVENT,
        permissionDecision: verdict.kind,
        permissionDecisionReason: verdict.reason,
        ...updatedInput,
      },
    };
  },
};
