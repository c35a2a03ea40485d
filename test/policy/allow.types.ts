// @ts-expect-error The class itself does not leave its module, so nobody can construct or extend it.
import { type Allow, Allow as AllowClass, decide, type Judgement } from "../../src/policy/decide.ts";

/** Forgeries of a yes. Each must fail to compile; the day one compiles, its unused directive fails the build. */
declare const judgement: Judgement;
declare function start(allow: Allow): void;

class LookAlike {
  readonly #minted = true;
  readonly outcome = "allow";

  static minted(value: object): value is LookAlike {
    return #minted in value;
  }
}

export function forgeries(): void {
  // @ts-expect-error A literal has no private mark.
  start({
    outcome: "allow",
    decidedBy: "full",
    reason: "",
    layer: "exec-security",
    source: "",
    rule: "",
    matchedBy: [],
    step: { kind: "nothing" },
  });
  // @ts-expect-error Another class's mark is another mark.
  start(new LookAlike());
  // @ts-expect-error A judgement may be a no.
  start(judgement);
  if (judgement.outcome !== "allow") return;
  start(judgement);
  // @ts-expect-error A copy is not what decide() made.
  start({ ...judgement, step: { kind: "nothing" } }); // oxlint-disable-line typescript/no-misused-spread
  // @ts-expect-error What was allowed cannot be exchanged afterwards.
  judgement.step = { kind: "nothing" };
  // @ts-expect-error The name stands for a type alone.
  void [AllowClass, decide];
}
