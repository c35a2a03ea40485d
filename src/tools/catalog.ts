import type { ProfileName } from "./tool-config.ts";

/** The built-in tools, the groups and profiles made of them, and the lists that hold whatever the operator writes. */

export const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ["group:fs", ["read", "write", "edit", "apply_patch"]],
  ["group:runtime", ["exec", "process"]],
  ["group:web", ["web_search", "web_fetch"]],
  ["group:memory", ["memory_search", "memory_get"]],
  [
    "group:sessions",
    ["sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "sessions_yield", "subagents", "session_status"],
  ],
  ["group:ui", ["browser", "canvas"]],
  ["group:messaging", ["message"]],
  ["group:automation", ["cron", "gateway"]],
  ["group:nodes", ["nodes"]],
  ["group:agents", ["agents_list"]],
  ["group:media", ["image", "image_generate", "tts"]],
]);

export const CORE_TOOLS: readonly string[] = [...GROUPS.values()].flat();

/** Every built-in tool, plugins excluded, under both names that the group has had. */
export const ALL_CORE_GROUPS: ReadonlySet<string> = new Set(["group:openclaw", "group:clawdbot"]);
export const ALL_PLUGINS_GROUP = "group:plugins";

/** A channel's own tool is called like the channel. */
export const CHANNELS: readonly string[] = [
  "discord", "telegram", "slack", "whatsapp", "signal", "imessage", "bluebubbles", "googlechat", "msteams", "matrix", "mattermost", "irc",
  "line", "feishu", "nostr", "zalo", "twitch", "nextcloud-talk", "synology-chat", "tlon", "webchat", "voice-call",
]; // biome-ignore format: a table

/** `null` is no restriction: a profile is a place to start from, and `full` starts from everything. */
export const PROFILES: Readonly<Record<ProfileName, readonly string[] | null>> = {
  full: null,
  coding: [
    "read", "write", "edit", "apply_patch", "exec", "process", "web_search", "web_fetch", "memory_search", "memory_get",
    "sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "sessions_yield", "subagents", "session_status", "cron",
    "image", "image_generate",
  ],
  messaging: ["message", "sessions_list", "sessions_history", "sessions_send", "session_status"],
  minimal: ["session_status"],
}; // biome-ignore format: a table

/** For owners alone, whatever any list says. `agents_list` is called owner-only where the groups are described. */
export const OWNER_ONLY: ReadonlySet<string> = new Set(["whatsapp_login", "cron", "gateway", "nodes", "agents_list"]);

/** Lost by every subagent, unless its agent's `allow` or `tools.subagents.tools` names the tool itself. */
export const SUBAGENT_DENIED: readonly string[] = [
  "gateway", "agents_list", "whatsapp_login", "session_status", "cron", "memory_search", "memory_get", "sessions_send",
]; // biome-ignore format: a table

/** Lost by the last generation as well: who may not spawn has no use for the tools of those who do. */
export const LEAF_DENIED: readonly string[] = ["subagents", "sessions_list", "sessions_history", "sessions_spawn"];

export const SANDBOX_ALLOWED: readonly string[] = [
  "exec", "process", "read", "write", "edit", "apply_patch", "image", "sessions_list", "sessions_history", "sessions_send",
  "sessions_spawn", "sessions_yield", "subagents", "session_status",
]; // biome-ignore format: a table
export const SANDBOX_DENIED: readonly string[] = ["browser", "canvas", "nodes", "cron", "gateway", ...CHANNELS];

/** What a workspace that is mounted read-only takes away. */
export const WRITING_TOOLS: ReadonlySet<string> = new Set(["write", "edit", "apply_patch"]);

export const EXEC_SECTION_GRANTS: readonly string[] = ["exec", "process"];
export const FS_SECTION_GRANTS: readonly string[] = ["read", "write", "edit"];
