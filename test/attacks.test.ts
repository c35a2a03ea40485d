import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readAttacks } from "./attacks/attack.ts";
import { needsRoot, play } from "./attacks/play.ts";
import { createStage } from "./attacks/stage.ts";

/** `make attacks ATTACKS=<file>` plays another file of the same shape. */
const corpus = ["attacks.json", "more.json"].map((name) => join(import.meta.dirname, "../fixtures/attacks", name));
const other = process.env["ATTACKS"] ?? "";
const attacks = (other === "" ? corpus : [other]).flatMap(readAttacks);
const stage = createStage(attacks);
const isRoot = process.getuid?.() === 0;

afterAll(() => stage.close());

for (const family of new Set(attacks.map((attack) => attack.family))) {
  describe(family, () => {
    for (const attack of attacks.filter((one) => one.family === family)) {
      const rooted = needsRoot(attack);
      test.skipIf(rooted && !isRoot)(`${attack.id} ${attack.title}${rooted ? " (played as root only)" : ""}`, async () => {
        expect(await play(attack, stage), attack.mustHold).toEqual([]);
      });
    }
  });
}

describe("the stage itself", () => {
  // A player that cannot see an attack succeed would call every attack survived.
  const FREE = { security: "full", ask: "off" };
  const known = attacks.filter(({ family, unguarded }) => unguarded === "fires" && (family === "shell-parse" || family === "wrapper"));
  test.runIf(known.length > 0)("where nothing is guarded the same players see the marker", async () => {
    const open = createStage(known.map((attack) => ({ ...attack, given: { ...attack.given, policy: FREE } })));
    try {
      const fired: string[] = [];
      for (const attack of known) {
        const found = await play({ ...attack, given: { ...attack.given, policy: FREE } }, open);
        if (found.some((complaint) => complaint.includes("marker"))) fired.push(attack.id);
      }
      expect(fired.length / known.length).toBeGreaterThan(0.8);
    } finally {
      await open.close();
    }
  });

  test("the log of everything that was played is whole", async () => {
    const { operator } = await stage.shared();
    expect(await operator.must("audit.verify")).toMatchObject({ verdict: "intact", problems: [] });
  });
});
