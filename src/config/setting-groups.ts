import { type SettingRow, settingRows } from "./setting-rows.ts";

/** The settings as people look for them: by section, each with a short file that shows it. */
export interface SettingGroup {
  readonly name: string;
  readonly rows: readonly SettingRow[];
  /** A whole `countersign.json5`. */
  readonly example: string;
}

/** By the key that a section begins with, in the order in which they are shown; a key belongs to the longest that fits. */
const EXAMPLES: Readonly<Record<string, string>> = {
  tools: `{
  tools: {
    deny: ["browser"],                            // a tool, a group such as group:web, or a pattern
    fs: { workspaceOnly: true },
    web_fetch: { allowedDomains: ["*.example.com"] },
  },
}`,
  "tools.exec": `{
  tools: {
    exec: {
      minEnforcement: "sealed",                   // refuse to run where files could be swapped
      unbound: "refuse",
      env: { pass: ["LANG", "LC_*"] },
      maxTimeoutMs: 600000,
    },
  },
}`,
  agents: `{
  agents: {
    defaults: { workspace: "~/agents/{sessionKey}" },
    family: { tools: { profile: "messaging", deny: ["group:web"] } },
    ci: { exec: { minEnforcement: "sealed" } },
  },
}`,
  providers: `{
  providers: { "openai/gpt-5.2": { tools: { profile: "minimal" } } },
}`,
  channels: `{
  channels: { telegram: { tools: { deny: ["exec"] }, groups: { "*": { tools: { allow: ["message"] } } } } },
}`,
  plugins: `{
  plugins: { calendar: { tools: ["calendar_read", "calendar_write"] } },
  tools: { deny: ["calendar_write"] },
}`,
  skills: `{
  skills: { transcribe: { bins: [{ name: "ffprobe", path: "/usr/bin/ffprobe" }] } },
  tools: { exec: { autoAllowSkills: true } },
}`,
  approvals: `{
  approvals: { exec: { timeout: 300000 } },       // five minutes
}`,
  sandboxing: `{
  sandboxing: { mode: "non-main", workspaceAccess: "ro" },
}`,
  session: `{
  session: { mainKey: "desk" },
  sandboxing: { mode: "non-main" },
}`,
  openclaw: `{
  openclaw: { trustForwardedDecisions: false },
}`,
};

/** For editors and for the gateway, and nothing that a section would be needed for. */
const OTHERS = "others";
const OTHERS_EXAMPLE = `{
  $schema: "./countersign.schema.json",           // countersign policy schema > countersign.schema.json
}`;

export function settingGroups(): readonly SettingGroup[] {
  const names = [...Object.keys(EXAMPLES), OTHERS];
  const rows = settingRows();
  return names.map((name) => ({
    name,
    rows: rows.filter(({ key }) => groupOf(key) === name),
    example: EXAMPLES[name] ?? OTHERS_EXAMPLE,
  }));
}

function groupOf(key: string): string {
  const fitting = Object.keys(EXAMPLES).filter((name) => isWithin(key, name));
  return fitting.toSorted((a, b) => b.length - a.length)[0] ?? OTHERS;
}

/** The key itself, or one below it. */
export function isWithin(key: string, above: string): boolean {
  return key === above || key.startsWith(`${above}.`) || key.startsWith(`${above}[`);
}
