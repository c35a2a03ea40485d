import { APPROVAL_TIMEOUT_MAX_MS, APPROVAL_TIMEOUT_MIN_MS } from "../core/limits.ts";
import { agentsSection } from "./agents-table.ts";
import { directory } from "./exec-table.ts";
import { section } from "./section.ts";
import { choice, flag, foreign, list, listOr, located, map, text, type ValueOf, whole } from "./shape.ts";
import { nameLists, providerSection, sandboxSection, toolsSection } from "./tools-table.ts";

/** The whole of `countersign.json5`. A key that is not reached from here is refused where it stands. */

const providerId = text("`openai`, or `openai/gpt-5.2`.");
const listedProvider = section("One provider.", { id: providerId, tools: providerSection }, ["id"]);
const namedProvider = section("One provider.", { tools: providerSection });

const channel = section("One channel.", {
  tools: nameLists,
  groups: map("By group, or `*` for all.", section("One group.", { tools: nameLists })),
});

const program = section("One program.", { name: text("Its bare name."), path: directory }, ["name", "path"]);
const target = section("One target.", { channel: text("`slack`"), to: text("`U12345678`") }, ["channel", "to"]);

const FORWARDER = "Read by whoever forwards requests, not by the daemon.";
const execApprovals = section("Approvals of commands.", {
  enabled: flag(`Forward requests to the targets. ${FORWARDER}`),
  mode: choice(`Where a request is shown. ${FORWARDER}`, ["session", "targets", "both"]),
  agentFilter: list(`Only these agents' requests. ${FORWARDER}`, text("An agent's id.")),
  sessionFilter: list(`Only sessions whose key contains one of these. ${FORWARDER}`, text("A part of a session's key.")),
  timeout: whole("How long a request waits, in milliseconds.", APPROVAL_TIMEOUT_MIN_MS, APPROVAL_TIMEOUT_MAX_MS),
  targets: list(`Where to. ${FORWARDER}`, target),
});

export const settingsSection = section("Settings of countersign.", {
  $schema: text("For editors: where the JSON Schema lies."),
  tools: toolsSection,
  agents: agentsSection,
  providers: listOr(list("Providers, each with its `id`.", located(listedProvider)), map("Providers by id.", located(namedProvider))),
  channels: map("By channel: which tools pass in its conversations.", channel),
  plugins: map("By plugin: what it brings.", section("One plugin.", { tools: list("Its tools.", text("A tool's name.")) })),
  skills: map("By skill: what it registers.", section("One skill.", { bins: list("Programs.", program) })),
  approvals: section("How people are asked.", { exec: execApprovals }),
  sandboxing: sandboxSection,
  session: section("Sessions.", { mainKey: text("The session that `non-main` leaves outside the sandbox.") }),
  openclaw: section("OpenClaw's dialect.", {
    trustForwardedDecisions: flag("Honour a bare `approvalDecision`, which proves nothing about what was approved."),
  }),
  bindings: foreign("Which conversations go to which agent."),
});
export type WrittenSettings = ValueOf<typeof settingsSection>;
