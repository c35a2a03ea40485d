import { FETCH_SIZE_DEFAULT_BYTES, READ_SIZE_DEFAULT_BYTES } from "../core/limits.ts";
import { objectionToDomain } from "../tools/domain-list.ts";
import { objectionToOrigin } from "../tools/origin-rules.ts";
import { ELEVATED_MODES, PROFILE_NAMES, SANDBOX_MODES, WORKSPACE_ACCESS } from "../tools/tool-config.ts";
import { execSection } from "./exec-table.ts";
import { section } from "./section.ts";
import { choice, flag, foreign, list, listOr, map, text, usual, whole } from "./shape.ts";

/** `tools`, and the same words wherever an agent, a provider, a sandbox or a channel has tools of its own. */

const toolName = text("A tool's name, `group:fs`, a plugin's id, or a pattern with `*`.", (name) =>
  /^[\x21-\x7e]+$/.test(name) ? null : "must be printable ASCII without blanks",
);

const NAME_ROWS = {
  allow: list("Only these tools pass; an empty list filters nothing.", toolName),
  alsoAllow: list("These pass as well; on its own it filters nothing.", toolName),
  deny: list("These never pass. Deny wins over every allow.", toolName),
};

export const nameLists = section("Which tools pass.", NAME_ROWS);

const profile = choice("The tools to start from; `full` is no restriction.", PROFILE_NAMES);

export const providerSection = section("Which tools pass under this provider or model.", { profile, ...NAME_ROWS });

const pathPattern = text("A pattern over absolute paths: `~/Projects/**`.", (pattern) =>
  pattern === "~" || /^~?\//.test(pattern) ? null : "must start with `/` or `~/`",
);

const bytesMax = (about: string, bytes: number) => usual(whole(about, 0, Number.MAX_SAFE_INTEGER), bytes);

const pathRows = {
  allow: list("Only paths that fit one of these; an empty list filters nothing.", pathPattern),
  deny: list("Never a path that fits one of these.", pathPattern),
};

const sender = text("`id:1`, `username:alice`, `discord:123456789`, or `*` for everyone.");

const elevated = section("Who may run commands on the host from inside a sandbox.", {
  enabled: usual(flag("Whether anybody may at all."), false),
  allowFrom: listOr(list("Senders on any channel.", sender), map("Senders by channel.", list("Senders on this channel.", sender))),
});

const origin = text("An origin: `https://example.com` or `https://*.github.com`.", objectionToOrigin);

const domain = text("A domain, `*.` and a domain, an address, or a network such as `10.0.0.0/8`.", objectionToDomain);

export const toolsSection = section("Which tools may be called, and with what.", {
  profile: usual(profile, "full"),
  ...NAME_ROWS,
  denyByDefault: usual(flag("An absent or empty `allow` lets nothing pass."), false),
  byProvider: map("By `provider` or `provider/model`.", providerSection),
  exec: execSection,
  fs: section("The file tools as a whole. Where it stands, the profile also has `read`, `write` and `edit`.", {
    workspaceOnly: usual(flag("File tools reach the agent's workspace and nothing else."), false),
  }),
  read: section("What may be read.", {
    ...pathRows,
    maxSizeBytes: bytesMax("Files with more bytes are not read.", READ_SIZE_DEFAULT_BYTES),
  }),
  write: section("What may be written, edited or patched.", pathRows),
  browser: section("Which pages the browser may open.", {
    enabled: usual(flag("Whether the browser may be used at all."), true),
    allowedOrigins: list("Only these origins may be opened; an empty list filters nothing.", origin),
    deniedOrigins: list("These origins are never opened.", origin),
  }),
  web_fetch: section("What may be fetched.", {
    enabled: usual(flag("Whether anything may be fetched at all."), true),
    allowedDomains: list("Only these may be fetched from; an empty list filters nothing but private addresses.", domain),
    deniedDomains: list("These are never fetched from.", domain),
    maxResponseBytes: bytesMax("Answers with more bytes are cut by the gateway.", FETCH_SIZE_DEFAULT_BYTES),
    followRedirects: usual(flag("Follow redirects, each of which is judged like a request of its own."), true),
  }),
  sandbox: section("For sandboxed agents.", { tools: nameLists }),
  subagents: section("For agents that were spawned by another.", { tools: nameLists }),
  elevated,
});

export const sandboxSection = section("When and how agents are sandboxed.", {
  enabled: flag("`false` is the same as mode `off`."),
  mode: usual(choice("Which sessions are sandboxed.", SANDBOX_MODES), "off"),
  backend: choice("What the sandbox is made of.", ["docker", "ssh", "openShell"]),
  scope: choice("How many sandboxes there are.", ["session", "agent", "shared"]),
  workspaceAccess: usual(
    choice("What sandboxed agents may do in their workspace; `ro` takes write, edit and apply_patch away.", WORKSPACE_ACCESS),
    "rw",
  ),
  workspaceRoot: text("Where sandboxes' workspaces lie."),
  alsoAllow: list("Further tools for sandboxed copies of the agent.", toolName),
  docker: foreign("The container."),
  browser: foreign("The sandbox's browser."),
  prune: foreign("When sandboxes are removed."),
});

export const elevatedMode = usual(choice("The elevated mode of sessions that chose none.", ELEVATED_MODES), "off");
