import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Step } from "../../src/analysis/step.ts";
import { type Asked, bindingOf, boundParts } from "../../src/binding/binding.ts";
import type { Evidence } from "../../src/binding/evidence.ts";
import { isVerified, type Permit, verify } from "../../src/binding/verify.ts";
import { parseAbsolutePath } from "../../src/core/absolute-path.ts";
import { toEnvironment } from "../../src/core/environment.ts";
import { isAgentId, isRunId } from "../../src/core/ids.ts";
import { sha256Of } from "../../src/core/sha256.ts";

const path = (text: string) => {
  const parsed = parseAbsolutePath(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.value;
};
const agent = (name: string) => {
  if (!isAgentId(name)) throw new Error(name);
  return name;
};
const RUN = "3691e5e7-0315-4dc5-86ea-5fb6b8f403b8";
const STEP: Step = { kind: "nothing" };

const ASKED: Asked = {
  argv: ["./deploy.sh", "staging"],
  environment: toEnvironment([["LANG", "C"]]),
  agentId: agent("main"),
  sessionKey: "s1",
  stdin: { bytes: 0, sha256: null },
};
const FOUND: Evidence = {
  cwd: { path: path("/srv/app"), device: "1", inode: "2" },
  executable: { path: path("/srv/app/deploy.sh"), sha256: sha256Of("script") },
  nested: [{ path: path("/usr/bin/bash"), sha256: sha256Of("bash") }],
  files: [{ argvIndex: 1, path: path("/srv/app/data"), sha256: sha256Of("data") }],
};

function approvalOf(asked: Asked, evidence: Evidence): Permit {
  const parts = boundParts(asked, evidence);
  return { kind: "approval", binding: bindingOf(parts), parts, cwd: { device: evidence.cwd.device, inode: evidence.cwd.inode } };
}

function check(asked: Asked, evidence: Evidence, permit: Permit = approvalOf(ASKED, FOUND)): readonly string[] {
  if (!isRunId(RUN)) throw new Error("no id");
  const verified = verify(permit, RUN, STEP, asked, evidence);
  if (verified.ok) return isVerified(verified.value) ? [] : ["a VerifiedExec without its mark"];
  const { code, details } = verified.failure;
  const all = Array.isArray(details["differences"]) ? details["differences"].map((each) => each.code) : [];
  return [code, ...all];
}

describe("a person's approval", () => {
  test("holds for exactly what was approved", () => {
    expect(check(ASKED, FOUND)).toEqual([]);
  });

  test.each<readonly [string, Partial<Asked>, Partial<Evidence>]>([
    ["binding.argv-differs", { argv: ["./deploy.sh", "production"] }, {}],
    ["binding.argv-differs", { argv: ["./deploy.sh staging"] }, {}],
    ["binding.cwd-differs", {}, { cwd: { ...FOUND.cwd, path: path("/srv/other") } }],
    ["binding.cwd-differs", {}, { cwd: { ...FOUND.cwd, inode: "3" } }],
    ["binding.env-differs", { environment: toEnvironment([["LANG", "de"]]) }, {}],
    ["binding.agent-differs", { agentId: agent("ops") }, {}],
    ["binding.session-differs", { sessionKey: "s2" }, {}],
    ["binding.executable-differs", {}, { executable: { ...FOUND.executable, sha256: sha256Of("other") } }],
    ["binding.file-differs", {}, { files: [] }],
    ["binding.nested-differs", {}, { nested: [...FOUND.nested, ...FOUND.nested] }],
    ["binding.stdin-differs", { stdin: { bytes: 1, sha256: sha256Of("x") } }, {}],
  ])("%s when one part is another", (code, asked, evidence) => {
    expect(check({ ...ASKED, ...asked }, { ...FOUND, ...evidence })).toEqual([code, code]);
  });

  test("of several differences the first in the protocol's order is the code, and all are named", () => {
    const codes = check(
      { ...ASKED, argv: ["./other"], sessionKey: "s2" },
      { ...FOUND, cwd: { ...FOUND.cwd, inode: "9" }, executable: { ...FOUND.executable, path: path("/srv/app/other") } },
    );
    const differing = ["binding.argv-differs", "binding.cwd-differs", "binding.session-differs", "binding.executable-differs"];
    expect(codes).toEqual([differing[0], ...differing]);
  });

  test("any other argv, environment or session is never verified", () => {
    const words = fc.array(fc.string(), { minLength: 1, maxLength: 4 });
    const property = fc.property(
      words,
      fc.dictionary(fc.stringMatching(/^[A-Z]{1,4}$/), fc.string()),
      fc.string(),
      (argv, env, sessionKey) => {
        const [first = "", ...rest] = argv;
        const asked: Asked = { ...ASKED, argv: [first, ...rest], environment: toEnvironment(Object.entries(env)), sessionKey };
        const isSame =
          JSON.stringify([argv, Object.entries(env), sessionKey]) ===
          JSON.stringify([ASKED.argv, [...ASKED.environment], ASKED.sessionKey]);
        return (check(asked, FOUND).length === 0) === isSame;
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

test("a token that carries only a hash says binding.differs", () => {
  expect(check(ASKED, FOUND, { kind: "token", binding: `sha256:${"0".repeat(64)}` })).toEqual(["binding.differs"]);
});

test("a permit by policy that decide() did not make stops everything", () => {
  const forged = { outcome: "allow", step: STEP };
  // The type does not let it through; what came in as JSON could still be shaped like it.
  const permit: unknown = JSON.parse(JSON.stringify({ kind: "policy", allow: forged }));
  expect(() => Reflect.apply(verify, undefined, [permit, RUN, STEP, ASKED, FOUND])).toThrow(/decide\(\) did not make/);
});
