/** Gemini CLI's `BeforeTool` hook, as documented for 0.26 and later: members of `hookSpecificOutput.tool_input` replace the model's own. */
import type { HookFormat } from "./format.ts";
import { readCall } from "./read-call.ts";

export const gemini: HookFormat = {
  title: "Gemini CLI",
  rewrites: true,
  read: (payload) =>
    readCall(payload, {
      event: "BeforeTool",
      shells: ["run_shell_command"],
      tools: {
        read_file: ["read", "file_path", "absolute_path"],
        write_file: ["write", "file_path"],
        replace: ["edit", "file_path"],
        web_fetch: ["web_fetch", "url"],
        google_web_search: ["web_search"],
      },
      directories: ["directory", "dir_path"],
    }),
  write: (verdict) => {
    switch (verdict.kind) {
      case "pass":
        return null;
      case "deny":
        return { decision: "deny", reason: verdict.reason };
      case "ask":
        return { systemMessage: verdict.reason };
      case "allow":
        return {
          decision: "allow",
          reason: verdict.reason,
          ...(verdict.command === null
            ? {}
            : { hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: verdict.command } } }),
        };
    }
  },
};
