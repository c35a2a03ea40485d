import type { Step } from "../analysis/step.ts";
import { CODES } from "../core/codes.ts";
import { type Denial, denial } from "../core/denial.ts";
import type { Environment } from "../core/environment.ts";
import type { RunId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type Allow, isAllow } from "../policy/decide.ts";
import { type Asked, type BoundParts, bindingOf, boundParts } from "./binding.ts";
import { type Difference, differencesBetween, differsDenial } from "./differences.ts";
import type { Evidence } from "./evidence.ts";

/** What a run may rest on. Each kind is compared with what was found in its own way; there is no kind that compares nothing. */
export type Permit =
  | { readonly kind: "policy"; readonly allow: Allow }
  | { readonly kind: "approval"; readonly binding: string; readonly parts: BoundParts; readonly cwd: DirectoryIdentity }
  | { readonly kind: "token"; readonly binding: string };

export interface DirectoryIdentity {
  readonly device: string;
  readonly inode: string;
}

export type { VerifiedExec };

/**
 * The proof that launch() asks for. The class stays inside this module: an exported class with a private constructor can be minted by
 * Reflect.construct, a type cannot.
 */
class VerifiedExec {
  readonly #minted = true;
  readonly runId: RunId;
  readonly step: Step;
  readonly environment: Environment;
  readonly evidence: Evidence;
  readonly binding: string;

  constructor(runId: RunId, step: Step, environment: Environment, evidence: Evidence, binding: string) {
    this.runId = runId;
    this.step = step;
    this.environment = environment;
    this.evidence = evidence;
    this.binding = binding;
    Object.freeze(this);
  }

  static minted(value: object): value is VerifiedExec {
    return #minted in value;
  }
}

export function isVerified(value: object): value is VerifiedExec {
  return VerifiedExec.minted(value);
}

/**
 * The only maker of VerifiedExec. Compares everything the child will receive with what was allowed; anything not compared here must not
 * reach launch(). Leave by policy was given about this very evidence, and names the step itself; a person's approval holds for the request
 * as it was made.
 */
export function verify(permit: Permit, runId: RunId, asRequested: Step, asked: Asked, evidence: Evidence): Result<VerifiedExec, Denial> {
  const found = boundParts(asked, evidence);
  const binding = bindingOf(found);
  const objection = objectionTo(permit, found, binding, evidence);
  if (objection !== null) return fail(objection);
  const step = permit.kind === "policy" ? permit.allow.step : asRequested;
  return ok(new VerifiedExec(runId, step, asked.environment, evidence, binding));
}

function objectionTo(permit: Permit, found: BoundParts, binding: string, evidence: Evidence): Denial | null {
  switch (permit.kind) {
    case "policy":
      if (!isAllow(permit.allow)) throw new Error("a permit that decide() did not make reached verify()");
      return null;
    case "approval": {
      const moved = permit.parts.cwd === found.cwd ? movedDirectory(permit.cwd, evidence) : [];
      // The same binding is the same parts; which of them differ is asked only when it is another.
      const differing = permit.binding === binding ? [] : differencesBetween(permit.parts, found);
      const [first, ...rest] = inCodeOrder([...moved, ...differing]);
      if (first !== undefined) return differsDenial([first, ...rest]);
      return permit.binding === binding ? null : bindingDiffers(permit.binding, binding);
    }
    case "token":
      return permit.binding === binding ? null : bindingDiffers(permit.binding, binding);
  }
}

function bindingDiffers(approved: string, found: string): Denial {
  const details = { field: "binding", approved, found };
  return denial("binding.differs", "what would run is not what was approved; ask for a new approval", details);
}

/** As the protocol lists them: the first of these codes is the one a client branches on. */
function inCodeOrder(differences: readonly Difference[]): readonly Difference[] {
  if (differences.length < 2) return differences;
  const order = Object.keys(CODES);
  return differences.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
}

/** A directory exchanged for another of the same name has the same path and is not the one that was approved. */
function movedDirectory(approved: DirectoryIdentity, evidence: Evidence): readonly Difference[] {
  const { device, inode, path } = evidence.cwd;
  if (approved.device === device && approved.inode === inode) return [];
  const describe = (directory: DirectoryIdentity): string => `${path} (device ${directory.device}, inode ${directory.inode})`;
  return [{ code: "binding.cwd-differs", field: "cwd", approved: describe(approved), found: describe({ device, inode }) }];
}
