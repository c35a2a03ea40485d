/** The tool policy as an operator wrote it, before it is compiled. Every member may be absent; config/ reads it from the settings file. */

export const PROFILE_NAMES = ["full", "coding", "messaging", "minimal"] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const SANDBOX_MODES = ["off", "non-main", "all"] as const;
export type SandboxMode = (typeof SANDBOX_MODES)[number];

export const WORKSPACE_ACCESS = ["none", "ro", "rw"] as const;
export type WorkspaceAccess = (typeof WORKSPACE_ACCESS)[number];

export const ELEVATED_MODES = ["off", "on", "ask", "full"] as const;
export type ElevatedMode = (typeof ELEVATED_MODES)[number];

export interface NameLists {
  readonly allow?: readonly string[];
  /** Adds to what is allowed without making `allow` a filter. */
  readonly alsoAllow?: readonly string[];
  readonly deny?: readonly string[];
}

export interface ProviderSection extends NameLists {
  readonly profile?: ProfileName;
}

export interface PathSection {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly maxSizeBytes?: number;
}

export interface BrowserSection {
  readonly enabled?: boolean;
  readonly allowedOrigins?: readonly string[];
  readonly deniedOrigins?: readonly string[];
}

export interface FetchSection {
  readonly enabled?: boolean;
  readonly allowedDomains?: readonly string[];
  readonly deniedDomains?: readonly string[];
  readonly maxResponseBytes?: number;
  readonly followRedirects?: boolean;
}

export interface CommandRule {
  readonly prefix?: readonly string[];
  readonly variables?: readonly string[];
}

/** A flat list, or one list per channel. */
export type AllowFrom = readonly string[] | ReadonlyMap<string, readonly string[]>;

export interface ElevatedSection {
  readonly enabled?: boolean;
  readonly allowFrom?: AllowFrom;
}

export interface ToolsSection extends NameLists {
  readonly profile?: ProfileName;
  readonly denyByDefault?: boolean;
  readonly byProvider?: ReadonlyMap<string, ProviderSection>;
  /** That the section is there at all grants `exec` and `process`. */
  readonly exec?: { readonly commands?: readonly CommandRule[] };
  /** That the section is there at all grants `read`, `write` and `edit`. */
  readonly fs?: { readonly workspaceOnly?: boolean };
  readonly read?: PathSection;
  readonly write?: PathSection;
  readonly browser?: BrowserSection;
  readonly web_fetch?: FetchSection;
  readonly sandbox?: { readonly tools?: NameLists };
  readonly subagents?: { readonly tools?: NameLists };
  readonly elevated?: ElevatedSection;
}

export interface SandboxSection {
  readonly enabled?: boolean;
  readonly mode?: SandboxMode;
  readonly workspaceAccess?: WorkspaceAccess;
  readonly alsoAllow?: readonly string[];
}

export interface AgentSection {
  /** Where it was written: `agents.list[0]` or `agents.main`. */
  readonly path: string;
  readonly id: string;
  readonly workspace?: string;
  readonly tools: ToolsSection;
  readonly sandbox: SandboxSection;
  readonly maxSpawnDepth?: number;
}

export interface ChannelSection {
  readonly tools?: NameLists;
  readonly groups?: ReadonlyMap<string, { readonly tools?: NameLists }>;
}

export interface ToolConfig {
  readonly tools: ToolsSection;
  /** `providers.<id>.tools`, the other spelling of `tools.byProvider`. */
  readonly providers: readonly { readonly key: string; readonly path: string; readonly section: ProviderSection }[];
  readonly agents: readonly AgentSection[];
  readonly defaults: {
    readonly workspace?: string;
    readonly sandbox: SandboxSection;
    readonly maxSpawnDepth?: number;
    readonly elevatedDefault?: ElevatedMode;
  };
  readonly sandboxing: SandboxSection;
  readonly channels: ReadonlyMap<string, ChannelSection>;
  /** The tools of each loaded plugin, by its id. */
  readonly plugins: ReadonlyMap<string, readonly string[]>;
  /** `session.mainKey`: the session that `non-main` leaves outside the sandbox. */
  readonly mainKey: string;
}
