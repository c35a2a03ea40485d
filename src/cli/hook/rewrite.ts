/** The command that has the daemon run what was judged. It is read by the agent's shell, so every word of it is quoted. */
import type { CommandCall } from "../command.ts";
import type { ToolCall } from "./format.ts";

export function boundCommand(
  call: ToolCall & { readonly kind: "shell" },
  approvalId: string | null,
  agentId: string,
  flags: Pick<CommandCall, "text">,
): string {
  // By its full path: `countersign` alone could be a function or a file of the agent's own making.
  const program = [process.execPath, process.argv[1] ?? ""];
  const shared = ["state-dir", "socket", "token-file"].flatMap((flag) => {
    const value = flags.text(flag);
    return value === undefined ? [] : [`--${flag}=${value}`];
  });
  const approval = approvalId === null ? [] : [`--approval=${approvalId}`];
  const about = [`--agent=${agentId}`, `--session=${call.sessionKey}`, `--cwd=${call.cwd}`, `--command=${call.command}`];
  return [...program, "run", ...shared, ...approval, ...about].map(quoted).join(" ");
}

/** Single quotes, in which every POSIX shell takes everything but a single quote as it stands. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
