import { scriptOperand } from "../../../src/analysis/script-operand.ts";
import type { Step } from "../../../src/analysis/step.ts";
import { readApprovalToken, signApprovalToken } from "../../../src/auth/approval-token.ts";
import { type Asked, bindingOf, boundParts } from "../../../src/binding/binding.ts";
import type { Evidence } from "../../../src/binding/evidence.ts";
import { verify } from "../../../src/binding/verify.ts";
import { toArgv } from "../../../src/core/argv.ts";
import { type Denial, denial } from "../../../src/core/denial.ts";
import { envHashOf, toEnvironment } from "../../../src/core/environment.ts";
import { isAgentId, isRunId } from "../../../src/core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { fail, ok, type Result } from "../../../src/core/result.ts";
import { sha256Of } from "../../../src/core/sha256.ts";
import { judgeOverrides } from "../../../src/policy/env-overrides.ts";
import { EXEC_SETTINGS_DEFAULT } from "../../../src/policy/exec-settings.ts";
import { METHODS } from "../../../src/wire/methods.ts";
import { rawCommandMatches } from "../../../src/wire/raw-command.ts";
import { path, plainProgram } from "../../policy/table-machine.ts";
import type { Area } from "../area.ts";
import { Clerk, idFor } from "../ledger-clerk.ts";
import { same, textOf, textsOf } from "../reading.ts";

/** `binding.json`: whether a run is the one that was approved, which word is the script, and when two environments are one. */
export const area: Area = {
  name: "binding",
  check({ given, expect }) {
    switch (given["op"] ?? "match") {
      case "match":
        return checkRuns(given, [given["run"]], [expect]);
      case "match-sequence":
        return checkRuns(given, listOf(given["runs"]), listOf(expect["results"]).filter(isJsonObject));
      case "env-hash-equal": {
        const equal = envHash(given["a"]) === envHash(given["b"]);
        return equal === expect["equal"] ? null : `equal: ${equal}`;
      }
      case "script-operand": {
        const argv = toArgv(textsOf(given["argv"]));
        const index = argv === null ? null : scriptOperand(argv);
        return same(index, expect["index"]) ? null : `index ${index}`;
      }
      default:
        return checkOther(given, expect);
    }
  },
};

/** Questions that some editions of the file ask: whether a shown text stands for an argv, and which names an environment binds. */
function checkOther(given: JsonObject, expect: JsonObject): string | null {
  if (given["rawCommand"] !== undefined) {
    const argv = Array.isArray(given["argv"]) ? textsOf(given["argv"]) : [];
    const raw = given["rawCommand"];
    const stands = argv.length > 0 && (typeof raw !== "string" || rawCommandMatches(raw, argv));
    return stands === expect["ok"] ? null : `ok: ${stands}`;
  }
  if (expect["keys"] !== undefined) {
    const keys = Object.keys(isJsonObject(given["env"]) ? given["env"] : {}).sort();
    return same(keys, expect["keys"]) ? null : `binds ${keys.join(" ")}`;
  }
  return `does not know the op ${JSON.stringify(given["op"])}`;
}

interface Request {
  readonly asked: Asked;
  readonly evidence: Evidence;
  readonly hostId: string;
}

async function checkRuns(given: JsonObject, runs: readonly unknown[], expected: readonly JsonObject[]): Promise<string | null> {
  const present = approve(given["approved"]);
  for (const [index, run] of runs.entries()) {
    const failure = await present(requestOf(isJsonObject(run) ? run : {}));
    const want = expected[index] ?? {};
    const said = `run ${index}: ${failure === null ? "ran" : `${failure.code}, ${failure.message}`}`;
    if (want["ok"] !== (failure === null)) return said;
    if (failure !== null && want["code"] !== undefined && classNamed(textOf(want["code"])) !== classOf(failure)) return said;
  }
  return null;
}

/** Approves on one road and gives back the other: `null` when a run was let through, and then the approval is used up. */
function approve(value: JsonValue | undefined): (run: Result<Request, Denial>) => Promise<Denial | null> {
  const approved = isJsonObject(value) ? requestOf(value) : fail(denial("binding.unavailable", "the record carries no binding"));
  if (!approved.ok) return () => Promise.resolve(approved.failure);
  const { asked, evidence, hostId } = approved.value;
  const parts = boundParts(asked, evidence);
  const binding = bindingOf(parts);
  const clerk = new Clerk();
  const id = idFor("approved");
  clerk.ask(id, "approved", 60_000, binding);
  const decision = isJsonObject(value) ? decisionIn(value) : null;
  if (decision !== null) clerk.resolve(id, decision, "operator");
  return async (run) => {
    if (!run.ok) return run.failure;
    const token = await signApprovalToken(
      { approvalId: id, binding, decision: "allow-once", hostId, issuedAtMs: 0, expiresAtMs: 60_000 },
      KEY,
    );
    const read = await readApprovalToken(token, { hostId: run.value.hostId, nowMs: 0, localKey: KEY, trusted: new Map() });
    if (!read.ok) return read.failure;
    const permit = { kind: "approval", binding: bindingOf(parts), parts, cwd: evidence.cwd } as const;
    const spent = clerk.spend(id, () => {
      const verified = verify(permit, RUN, STEP, run.value.asked, run.value.evidence);
      return verified.ok ? null : verified.failure;
    });
    return spent.ok ? null : spent.failure;
  };
}

/** A request as the wire takes it, and what the machine would find for it. */
function requestOf(sent: JsonObject): Result<Request, Denial> {
  const { argv, cwd, env, agentId, sessionKey, rawCommand } = sent;
  if (typeof rawCommand === "string" && Array.isArray(argv) && !rawCommandMatches(rawCommand, textsOf(argv)))
    return fail(denial("wire.invalid-params", "the text that was shown is another command"));
  const given = { argv, cwd, env, agentId, sessionKey };
  const params = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  const parsed = METHODS["system.run.prepare"].parse(params);
  if (!parsed.ok) return parsed;
  const { form, ...command } = parsed.value.params;
  if (form.kind !== "argv") return fail(denial("wire.invalid-params", "not a list of words"));
  const judged = judgeOverrides(Object.fromEntries(command.env), EXEC_SETTINGS_DEFAULT);
  if (!judged.ok) return judged;
  const script = isJsonObject(sent["script"]) ? sent["script"] : null;
  if (script !== null && typeof script["sha256"] !== "string") return fail(denial("binding.unavailable", "the script cannot be read"));
  const agent = command.agentId ?? "main";
  if (!isAgentId(agent)) return fail(denial("wire.invalid-params", "not an agent"));
  const files = script === null ? [] : [{ argvIndex: 1, path: path(textOf(script["path"])), sha256: sha256Of(textOf(script["sha256"])) }];
  return ok({
    asked: {
      argv: form.argv,
      environment: toEnvironment(command.env),
      agentId: agent,
      sessionKey: command.sessionKey,
      stdin: { bytes: 0, sha256: null },
    },
    evidence: {
      cwd: { path: command.cwd ?? path("/home/u"), device: "1", inode: "1" },
      executable: { path: path("/usr/bin/program"), sha256: sha256Of("program") },
      nested: [],
      files,
    },
    hostId: textOf(sent["nodeId"] ?? "this host"),
  });
}

/** Only the class of a refusal is compared: what was asked for, its environment, the host, or that there is no usable decision. */
type Class = "request" | "environment" | "host" | "decision";

function classNamed(code: string): Class {
  if (code.startsWith("APPROVAL_ENV_")) return "environment";
  if (code.startsWith("APPROVAL_NODE_")) return "host";
  return code === "APPROVAL_REQUIRED" ? "decision" : "request";
}

function classOf({ code, details }: Denial): Class {
  if (code.startsWith("env.") || code === "binding.env-differs") return "environment";
  if (code === "wire.invalid-params" && /^env\b/.test(textOf(details["path"] ?? ""))) return "environment";
  if (code === "approval.token-invalid") return "host";
  return code.startsWith("approval.") ? "decision" : "request";
}

function decisionIn(approved: JsonObject): "allow-once" | "allow-always" | "deny" | null {
  const { decision = "allow-once" } = approved;
  return decision === "allow-once" || decision === "allow-always" || decision === "deny" ? decision : null;
}

function envHash(env: JsonValue | undefined): string {
  const entries = isJsonObject(env) ? Object.entries(env) : [];
  return envHashOf(toEnvironment(entries.map(([name, value]) => [name, textOf(value)] as const)));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

const KEY = Buffer.alloc(32, 7);
const RUN = runId("00000000-0000-4000-8000-000000000000");
const STEP: Step = {
  kind: "command",
  program: plainProgram("/usr/bin/program"),
  argv: ["program"],
  cwd: path("/home/u"),
  script: null,
  carried: null,
  interpreters: [],
};

function runId(id: string) {
  if (!isRunId(id)) throw new Error(`not a run: ${id}`);
  return id;
}
