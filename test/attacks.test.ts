import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readAttacks } from "./attacks/attack.ts";
import { needsRoot, play } from "./attacks/play.ts";
import { createStage } from "./attacks/stage.ts";

/** `make attacks ATTACKS=<file>` plays another file of the same shape. */
const file = process.env["ATTACKS"] ?? join(import.meta.dirname, "../fixtures/attacks/attacks.json");
const attacks = readAttacks(file);
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
  test("the log of everything that was played is whole", async () => {
    const { operator } = await stage.shared();
    expect(await operator.must("audit.verify")).toMatchObject({ verdict: "intact", problems: [] });
  });
});
