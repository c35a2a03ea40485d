/** Requests as the daemon describes them, for tests of the screen. */
import { type Pending, pendingOf } from "../../../src/cli/watch/pending.ts";
import type { Approval } from "../../../src/client/results.ts";

export const NOW_MS = 1_800_000_000_000;

export function approval(more: Partial<Approval> = {}, argv: readonly string[] = ["./deploy.sh", "staging"]): Approval {
  const id = more.id ?? "11111111-1111-4111-8111-111111111111";
  return {
    id,
    state: "pending",
    decision: null,
    reason: null,
    agentId: "main",
    sessionKey: "s1",
    host: null,
    requester: { credential: "gateway", role: "gateway", pid: 4711, uid: 1000, host: null, channel: null },
    createdAtMs: NOW_MS - 4_000,
    expiresAtMs: NOW_MS + 116_000,
    decidedAtMs: null,
    by: null,
    runId: null,
    consumedAtMs: null,
    timeoutMs: 1_800_000,
    plan: {
      argv: [...argv],
      cwd: "/srv/app",
      envHash: `sha256:${"e".repeat(64)}`,
      envKeys: [],
      agentId: "main",
      sessionKey: "s1",
      executable: { path: "/srv/app/deploy.sh", sha256: "a".repeat(64) },
      files: [{ argvIndex: 0, path: "/srv/app/deploy.sh", sha256: "a".repeat(64) }],
      nested: [{ path: "/usr/bin/bash", sha256: "b".repeat(64) }],
      stdin: { bytes: 0, sha256: null },
      unbound: [],
      segments: [],
    },
    binding: `sha256:${argv.join(" ").length}${id}`,
    display: { command: argv.join(" "), words: [...argv], warnings: [], env: {} },
    command: argv.join(" "),
    context: null,
    allowedDecisions: ["allow-once", "allow-always", "deny"],
    grants: {
      executable: { entries: [{ pattern: "/srv/app/deploy.sh", argPattern: null, sha256: "a".repeat(64) }], none: null },
      command: { entries: [{ pattern: "/srv/app/deploy.sh", argPattern: "sha256:cwd-argv:v1:00", sha256: null }], none: null },
    },
    contents: null,
    ...more,
  };
}

export function request(number: number, more: Partial<Approval> = {}, argv?: readonly string[]): Pending {
  const id = `${String(number).padStart(8, "0")}-1111-4111-8111-111111111111`;
  return pendingOf(approval({ id, ...more }, argv), NOW_MS);
}
