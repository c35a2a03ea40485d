/** Approvals as a daemon would show them, for tests of what a person sees. */
import type { JsonObject } from "../../src/core/json.ts";
import { displayOf } from "../../src/wire/display.ts";

export const HASH = "0123456789abcdef".repeat(4);

export function approvalOf(id: string, argv: readonly [string, ...string[]], more: JsonObject = {}): JsonObject {
  const display = displayOf(argv);
  if (!display.ok) throw new Error(display.failure.message);
  return {
    id,
    state: "pending",
    decision: null,
    agentId: "main",
    sessionKey: "s1",
    binding: `sha256:${HASH}`,
    command: display.value.command,
    createdAtMs: Date.now() - 12_000,
    expiresAtMs: Date.now() + 108_500,
    plan: planOf(argv),
    display: { ...display.value, env: {} },
    requester: { credential: "gateway", role: "gateway", pid: 4321, uid: 1000, exe: "/usr/bin/node", host: null, channel: null },
    context: {},
    timeoutMs: 1_800_000,
    allowedDecisions: ["allow-once", "allow-always", "deny"],
    grants: { executable: { entries: [{ pattern: "/srv/app/deploy.sh" }], none: null }, command: { entries: [], none: "an interpreter" } },
    ...more,
  };
}

export function planOf(argv: readonly string[], more: JsonObject = {}): JsonObject {
  return {
    argv,
    cwd: "/srv/app",
    envHash: `sha256:${HASH}`,
    envKeys: [],
    agentId: "main",
    sessionKey: "s1",
    executable: { path: "/srv/app/deploy.sh", sha256: HASH },
    files: [],
    nested: [{ path: "/usr/bin/dash", sha256: HASH }],
    stdin: { bytes: 0, sha256: null },
    unbound: [],
    segments: [],
    ...more,
  };
}
