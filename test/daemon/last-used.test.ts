import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAST_USED_COMMAND_CHARS_MAX, USES_FLUSH_IDLE_MS, USES_WAITING_MAX } from "../../src/core/limits.ts";
import { ok } from "../../src/core/result.ts";
import { createUses } from "../../src/daemon/uses.ts";
import { type ExecDocument, readDocument } from "../../src/policy/document.ts";
import { renderDocument } from "../../src/policy/render-document.ts";
import { startTestDaemon, type TestDaemon } from "../support/daemon.ts";
import { until } from "../support/processes.ts";
import { openSession } from "../support/session.ts";

function documentWith(allowlist: readonly { readonly id: string; readonly pattern: string }[]): ExecDocument {
  const read = readDocument({ version: 1, agents: { main: { allowlist } } });
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}

/** What would be written after these commands, each by an entry of its own. */
async function writtenAfter(commands: readonly string[]): Promise<string> {
  let document = documentWith(commands.map((_, index) => ({ id: `e${index}`, pattern: `/bin/${index}` })));
  const uses = createUses(async (edit) => {
    const edited = edit(document);
    if (edited.ok) document = edited.value;
    return edited.ok ? ok(undefined) : edited;
  });
  for (const [index, command] of commands.entries()) uses.record({ key: `e${index}`, at: 1, command, resolvedPath: "/bin/x" });
  await uses.stop();
  return renderDocument(document);
}

test("of a long command the beginning is kept, and no character is cut in two", async () => {
  const wide = "\u{1f600}";
  const fits = "x".repeat(LAST_USED_COMMAND_CHARS_MAX - 2) + wide;
  const isCut = "y".repeat(LAST_USED_COMMAND_CHARS_MAX - 1) + wide;
  const written = await writtenAfter([fits, isCut]);
  expect(written).toContain(`"${fits}"`);
  expect(written).toContain(`"${isCut.slice(0, -wide.length)}"`);
});

test("of more entries than can wait the first ones are remembered", async () => {
  const written = await writtenAfter(Array.from({ length: USES_WAITING_MAX + 1 }, (_, index) => `run ${index};`));
  expect(written).toContain(`"run ${USES_WAITING_MAX - 1};"`);
  expect(written).not.toContain(`"run ${USES_WAITING_MAX};"`);
});

const ENTRIES = 100_000;
/** Ten times what it takes where nobody else is at work; without slices and shared rules it is three times as much as this. */
const WAIT_MS_MAX = 400;

/** Half of them without an id, as in a list that was written by hand: their keys are digests. */
const ALLOWLIST = Array.from({ length: ENTRIES }, (_, index) => {
  const pattern = index === ENTRIES / 2 ? "/usr/bin/true" : `/opt/tools/bin/tool-${index}`;
  return index % 2 === 0 ? { pattern } : { id: `entry-${index}`, pattern };
});

test(`while a last use is written down among ${ENTRIES} entries nobody else waits for long`, async () => {
  const daemon = await startTestDaemon({ document: { version: 1, agents: { main: { allowlist: ALLOWLIST } } } });
  try {
    // Others use this machine too, and may have been what was waited for: then it is looked at once more.
    const first = await longestWait(daemon);
    expect(first < WAIT_MS_MAX ? first : await longestWait(daemon)).toBeLessThan(WAIT_MS_MAX);
  } finally {
    await daemon.stop();
  }
});

/** Of a bystander who asks without a pause, from one run until the use was written and the next run has been judged. */
async function longestWait(daemon: TestDaemon): Promise<number> {
  const agent = await openSession(daemon, "gateway", "main");
  const bystander = await openSession(daemon, "gateway");
  const run = { argv: ["/usr/bin/true"], cwd: "/" };
  const path = join(daemon.stateDir, "exec-approvals.json");
  await agent.must("system.run", run);
  const before = statSync(path).ino;
  const over = new AbortController();
  let longest = 0;
  const asking = (async () => {
    while (!over.signal.aborted) {
      const askedAt = performance.now();
      await bystander.must("status");
      longest = Math.max(longest, performance.now() - askedAt);
    }
  })();
  expect(await until(() => statSync(path).ino !== before, USES_FLUSH_IDLE_MS + 20_000)).toBe(true);
  await agent.must("system.run", run);
  over.abort();
  await asking;
  agent.close();
  bystander.close();
  return longest;
}
