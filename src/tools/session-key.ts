import type { SandboxMode } from "./tool-config.ts";

/**
 * What a session's key gives away: `agent:main:main`, `agent:main:discord:group:42`, `agent:main:subagent:7f3c`. It can only narrow what
 * the gateway claims, so a key that says nothing changes nothing.
 */
export interface SessionFacts {
  readonly channel: string | null;
  readonly group: string | null;
  readonly depth: number;
}

const NOTHING: SessionFacts = { channel: null, group: null, depth: 0 };

export function readSessionKey(sessionKey: string): SessionFacts {
  if (!sessionKey.includes(":")) return NOTHING;
  const parts = withoutAgent(sessionKey).split(":");
  const depth = parts.filter((part) => part === "subagent").length;
  const at = parts.findIndex((part) => part === "group" || part === "channel");
  if (at < 1) return { ...NOTHING, depth };
  return { channel: parts[at - 1] ?? null, group: parts.slice(at + 1).join(":"), depth };
}

function withoutAgent(sessionKey: string): string {
  return sessionKey.replace(/^agent:[^:]+:/, "");
}

/** `non-main` goes by the session, not by the agent: groups and channels have keys of their own. */
export function isSandboxedSession(mode: SandboxMode, sessionKey: string, mainKey: string): boolean {
  return mode === "all" || (mode === "non-main" && withoutAgent(sessionKey) !== mainKey);
}
