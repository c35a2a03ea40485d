import type { Evidence } from "../../src/binding/evidence.ts";
// @ts-expect-error The class itself does not leave its module, so nobody can construct or extend it.
import { VerifiedExec as VerifiedClass, type VerifiedExec } from "../../src/binding/verify.ts";
import type { Environment } from "../../src/core/environment.ts";
import type { RunId } from "../../src/core/ids.ts";
import type { ExecHost, LaunchIo } from "../../src/exec/exec-host.ts";

/** Forgeries of what may be started. Each must fail to compile; the day one compiles, its unused directive fails the build. */
declare const verified: VerifiedExec;
declare const parts: { runId: RunId; environment: Environment; evidence: Evidence };
declare const host: ExecHost;
declare const io: LaunchIo;

class LookAlike {
  readonly #minted = true;
  readonly runId = parts.runId;
  readonly step = { kind: "nothing" } as const;
  readonly environment = parts.environment;
  readonly evidence = parts.evidence;
  readonly binding = "";

  static minted(value: object): value is LookAlike {
    return #minted in value;
  }
}

export function forgeries(): void {
  void host.launch(verified, io);
  // @ts-expect-error A literal has no private mark.
  void host.launch({ ...parts, step: { kind: "nothing" }, binding: "" }, io);
  // @ts-expect-error Another class's mark is another mark.
  void host.launch(new LookAlike(), io);
  // @ts-expect-error A copy is not what verify() made.
  void host.launch({ ...verified, step: { kind: "nothing" } }, io); // oxlint-disable-line typescript/no-misused-spread
  // @ts-expect-error What was verified cannot be exchanged afterwards.
  verified.step = { kind: "nothing" };
  // @ts-expect-error Nor can one word of it.
  if (verified.step.kind === "command") verified.step.argv[0] = "sh";
  // @ts-expect-error The name stands for a type alone.
  void [VerifiedClass];
}
