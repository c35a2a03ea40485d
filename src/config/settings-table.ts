import { APPROVAL_TIMEOUT_DEFAULT_MS, APPROVAL_TIMEOUT_MAX_MS, APPROVAL_TIMEOUT_MIN_MS } from "../core/limits.ts";
import { agentsSection } from "./agents-table.ts";
import { directory } from "./exec-table.ts";
import { section } from "./section.ts";
import { choice, flag, foreign, list, listOr, located, map, text, usual, type ValueOf, whole } from "./shape.ts";
import { nameLists, providerSection, sandboxSection, toolsSection } from "./tools-table.ts";

/** The whole of `countersign.json5`. A key that is not reached from here is refused where it stands. */

const providerId = text("`openai`, or `openai/gpt-5.2`.");
const listedProvider = section("One provider.", { id: providerId, tools: providerSection }, ["id"]);
const namedProvider = section("One provider.", { tools: providerSection });

const channel = section("One channel.", {
  tools: nameLists,
  groups: map("By group, or `*` for all.", section("One group.", { tools: nameLists })),
});

const program = section("One program.", { name: text("The bare name it is called by."), path: directory }, ["name", "path"]);
const target = section("One target.", { channel: text("The channel's name: `slack`."), to: text("Who or where on it: `U12345678`.") }, [
  "channel",
  "to",
]);

export const MAIN_KEY_DEFAULT = "main";

const FORWARDER = "Read by whoever forwards requests, not by the daemon.";
const execApprovals = section("Approvals of commands.", {
  enabled: flag(`Forward requests to the targets. ${FORWARDER}`),
  mode: choice(`Where a request is shown. ${FORWARDER}`, ["session", "targets", "both"]),
  agentFilter: list(`Only these agents' requests. ${FORWARDER}`, text("An agent's id.")),
  sessionFilter: list(`Only sessions whose key contains one of these. ${FORWARDER}`, text("A part of a session's key.")),
  timeout: usual(
    whole("How long a request waits, in milliseconds.", APPROVAL_TIMEOUT_MIN_MS, APPROVAL_TIMEOUT_MAX_MS),
    APPROVAL_TIMEOUT_DEFAULT_MS,
  ),
  targets: list(`Where requests are forwarded to. ${FORWARDER}`, target),
});

export const settingsSection = section("Settings of countersign.", {
  $schema: text("For editors: where the JSON Schema lies."),
  tools: toolsSection,
  agents: agentsSection,
  providers: listOr(list("Providers, each with its `id`.", located(listedProvider)), map("Providers by id.", located(namedProvider))),
  channels: map("By channel: which tools pass in its conversations.", channel),
  plugins: map(
    "By plugin: what it brings.",
    section("One plugin.", { tools: list("The tools it brings, which lists may name by the plugin's id.", text("A tool's name.")) }),
  ),
  skills: map(
    "By skill: what it registers.",
    section("One skill.", { bins: list("The programs it registers; see `autoAllowSkills`.", program) }),
  ),
  approvals: section("How people are asked.", { exec: execApprovals }),
  sandboxing: sandboxSection,
  session: section("Sessions.", { mainKey: usual(text("The session that `non-main` leaves outside the sandbox."), MAIN_KEY_DEFAULT) }),
  openclaw: section("OpenClaw's dialect.", {
    trustForwardedDecisions: usual(flag("Honour a bare `approvalDecision`, which proves nothing about what was approved."), false),
  }),
  bindings: foreign("Which conversations go to which agent."),
});
export type WrittenSettings = ValueOf<typeof settingsSection>;
