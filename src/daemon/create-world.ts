/** The World made of the real things: the journal, the files, the exec host and the settings. It wires and decides nothing. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { planCommand } from "../analysis/plan-command.ts";
import type { Approval } from "../approvals/approval.ts";
import type { AppendableEvent } from "../approvals/events.ts";
import { readApprovalToken, signApprovalToken } from "../auth/approval-token.ts";
import { isApprovalId, isRunId } from "../core/ids.ts";
import { ok } from "../core/result.ts";
import type { ExecHost } from "../exec/exec-host.ts";
import { withEntries } from "../policy/document-edit.ts";
import { createRuleBook } from "../policy/rule-book.ts";
import type { DocumentFile } from "../store/document-file.ts";
import type { RecordFiles } from "../store/record-files.ts";
import type { Secrets } from "../store/secrets.ts";
import { createApprovalDesk } from "./approval-desk.ts";
import { approvalJson } from "./approval-json.ts";
import { createDenials } from "./denials.ts";
import { createEventHub } from "./event-hub.ts";
import type { OpenLedger } from "./open-ledger.ts";
import type { Policies } from "./policies.ts";
import { createRuns } from "./runs.ts";
import type { Trust } from "./trust.ts";
import type { Uses } from "./uses.ts";
import type { World } from "./world.ts";

export interface WorldParts {
  readonly exec: ExecHost;
  readonly kept: OpenLedger;
  readonly documentFile: DocumentFile;
  readonly records: RecordFiles;
  readonly secrets: Secrets;
  readonly trust: Trust;
  readonly uses: Uses;
  readonly stopping: AbortSignal;
  readonly allowUnattended: boolean;
  policies(): Policies;
  /** `COUNTERSIGN_TEST_HOLD_AFTER_CONSUMPTION`: a file that is made after consumption, whereupon the daemon waits to be killed. */
  readonly holdAfterConsumption: string | null;
}

export function createWorld(parts: WorldParts): World {
  const { exec, kept, documentFile, records, secrets, trust } = parts;
  const { journal, ledger, clock } = kept;
  const hub = createEventHub();
  const note = (event: AppendableEvent): void => journal.appendLater(event);

  function tell(event: AppendableEvent, approval: Approval): void {
    const topic = event.type === "approval.requested" ? "exec.approval.requested" : "exec.approval.resolved";
    if (event.type === "run.starting" || !hub.wants(topic)) return;
    const record = records.read(approval.id, approval.recordSha256);
    hub.publish(topic, approval.credential, approvalJson(approval, record, "gateway"), approvalJson(approval, record, "operator"));
  }

  documentFile.onChange(({ hash }, byUs) => {
    hub.publish("policy.changed", null, { what: "document", hash });
    // What was changed through the socket is in the journal with who did it; an editor leaves no name.
    if (!byUs) note({ type: "policy.changed", details: { what: "document edited on disk", hash } });
  });

  return {
    clock,
    hub,
    runs: createRuns(),
    desk: createApprovalDesk({ ledger, clock, newId: newApprovalId, append: (event) => journal.append(event), tell }),
    hostId: secrets.hostId,
    stopping: parts.stopping,
    allowUnattended: parts.allowUnattended,
    approvalTimeoutMs: () => parts.policies().approvalTimeoutMs,
    newRunId,
    newEntryId: randomUUID,

    enforcement: exec.enforcement,
    childOf: (settings) => exec.childOf(settings),
    hold: (plan, settings, child) => exec.hold(plan, settings, child),
    release: (evidence) => exec.release(evidence),
    objectionTo: (verified, minEnforcement) => exec.objectionTo(verified, minEnforcement),
    launch: (verified, io) => exec.launch(verified, io),
    plan: planCommand,

    policies: () => parts.policies(),
    document: () => documentFile.read(),
    rulesFor: createRuleBook(),
    async changeDocument(baseHash, edit) {
      const changed = await documentFile.change(baseHash, edit);
      return changed.ok ? ok(changed.value.hash) : changed;
    },
    async addEntries(agentId, entries) {
      const added = entries.map((entry) => ({ id: randomUUID(), ...entry, source: "allow-always" }));
      const changed = await documentFile.change(null, (document) => withEntries(document, agentId, added));
      return changed.ok ? ok(undefined) : changed;
    },
    recordUse: (use) => parts.uses.record(use),

    append: (event) => journal.append(event),
    note,
    noteDenied: createDenials(clock, hub, note),
    keepRecord: (record) => records.keep(record),
    record(id) {
      const approval = ledger.approvals.get(id);
      return approval === undefined ? undefined : records.read(id, approval.recordSha256);
    },
    textsOf({ id, parts: bound }) {
      return bound === null ? {} : Object.fromEntries([...records.texts.read(id, bound)].map(([path, text]) => [path, { ...text }]));
    },
    async rememberTexts({ id, parts: bound }) {
      if (bound !== null) await records.texts.allowed(id, bound, clock.nowMs());
    },
    async afterConsumption() {
      if (parts.holdAfterConsumption === null) return;
      writeFileSync(parts.holdAfterConsumption, "");
      await new Promise(() => undefined);
    },

    signToken: ({ id, binding, decision, usableUntilMs }) => {
      const times = { issuedAtMs: clock.nowMs(), expiresAtMs: usableUntilMs };
      return signApprovalToken({ approvalId: id, binding, decision, hostId: secrets.hostId, ...times }, secrets.tokenKey);
    },
    readToken: (token) =>
      readApprovalToken(token, {
        hostId: secrets.hostId,
        nowMs: clock.nowMs(),
        localKey: secrets.tokenKey,
        trusted: trust.issuers(),
      }),
  };
}

function newApprovalId(): Approval["id"] {
  const id = randomUUID();
  if (!isApprovalId(id)) throw new Error("randomUUID gave something that is no UUIDv4");
  return id;
}

function newRunId(): ReturnType<World["newRunId"]> {
  const id = randomUUID();
  if (!isRunId(id)) throw new Error("randomUUID gave something that is no UUIDv4");
  return id;
}
