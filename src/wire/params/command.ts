/** What `system.run.prepare`, `system.run` and `exec.approval.request` have in common: the command, as it was sent. */
import * as v from "valibot";
import { type AbsolutePath, parseAbsolutePath } from "../../core/absolute-path.ts";
import { type Argv, toArgv } from "../../core/argv.ts";
import type { Denial } from "../../core/denial.ts";
import type { AgentId } from "../../core/ids.ts";
import {
  ARGV_WORD_BYTES_MAX,
  ARGV_WORDS_MAX,
  PATH_BYTES_MAX,
  STDIN_BASE64_BYTES_MAX,
  STDIN_TEXT_BYTES_MAX,
  SUBAGENT_DEPTH_MAX,
} from "../../core/limits.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Ask, Security } from "../../policy/exec-settings.ts";
import { invalid } from "../complaint.ts";
import {
  agentId,
  duration,
  exactly,
  flag,
  listOf,
  mapOf,
  name,
  notBoth,
  oneOf,
  oneOfThese,
  optional,
  sessionKey,
  text,
  whole,
  word,
} from "../schema.ts";

export const ELEVATED_MODES = ["off", "on", "ask", "full"] as const;

export const sender = v.union(
  [
    name,
    exactly({
      id: optional(name),
      from: optional(name),
      name: optional(name),
      username: optional(name),
      tag: optional(name),
      e164: optional(name),
    }),
  ],
  "must be a string or an object of `id`, `from`, `name`, `username`, `tag`, `e164`",
);

/** The gateway's claim about who asked and where: recorded and shown, never bound. */
export const claim = exactly({
  provider: optional(name),
  model: optional(name),
  senderIsOwner: optional(flag),
  sandboxed: optional(flag),
  subagentDepth: optional(whole(0, SUBAGENT_DEPTH_MAX)),
  sender: optional(sender),
  channel: optional(name),
  elevated: optional(oneOf(ELEVATED_MODES)),
});
export type Claim = Readonly<v.InferOutput<typeof claim>>;
export type Sender = Readonly<v.InferOutput<typeof sender>>;

/** Base64 is measured in the bytes it stands for. */
const base64Text = text(0, Math.ceil(STDIN_BASE64_BYTES_MAX / 3) * 4);

export const commandEntries = {
  argv: optional(listOf(word(ARGV_WORD_BYTES_MAX), 1, ARGV_WORDS_MAX)),
  command: optional(word(ARGV_WORD_BYTES_MAX)),
  cwd: optional(word(PATH_BYTES_MAX)),
  env: optional(mapOf(text(0, ARGV_WORD_BYTES_MAX))),
  agentId: optional(agentId),
  sessionKey: optional(sessionKey),
  timeoutMs: optional(duration),
  stdin: optional(text(0, STDIN_TEXT_BYTES_MAX)),
  stdinBase64: optional(base64Text),
  security: optional(oneOf(["deny", "allowlist", "full"])),
  ask: optional(oneOf(["off", "on-miss", "always"])),
  context: optional(claim),
};
export const commandRules = [oneOfThese("argv", "command"), notBoth("stdin", "stdinBase64")];
const command = exactly(commandEntries, ...commandRules);
type Sent = v.InferOutput<typeof command>;

export interface CommandParams {
  readonly form: { readonly kind: "argv"; readonly argv: Argv } | { readonly kind: "command"; readonly text: string };
  /** `null`: the child's home. Not canonical yet. */
  readonly cwd: AbsolutePath | null;
  /** Overrides as sent. Names and values are not judged here: what is wrong with them has codes of its own. */
  readonly env: ReadonlyMap<string, string>;
  /** `null`: the connection's agent, else `main`. */
  readonly agentId: AgentId | null;
  readonly sessionKey: string;
  readonly timeoutMs: number | null;
  /** `null`: none was given, which is not the same as an empty one. */
  readonly stdin: Uint8Array | null;
  readonly security: Security | null;
  readonly ask: Ask | null;
  readonly context: Claim;
}

export function commandOf(sent: Sent): Result<CommandParams, Denial> {
  const form = formOf(sent);
  if (!form.ok) return form;
  const cwd = sent.cwd === undefined ? ok(null) : cwdOf(sent.cwd);
  if (!cwd.ok) return cwd;
  const stdin = stdinOf(sent);
  if (!stdin.ok) return stdin;
  return ok({
    form: form.value,
    cwd: cwd.value,
    env: new Map(Object.entries(sent.env ?? {})),
    agentId: sent.agentId ?? null,
    sessionKey: sent.sessionKey ?? "",
    timeoutMs: sent.timeoutMs ?? null,
    stdin: stdin.value,
    security: sent.security ?? null,
    ask: sent.ask ?? null,
    context: sent.context ?? {},
  });
}

function formOf(sent: Sent): Result<CommandParams["form"], Denial> {
  if (sent.argv !== undefined && sent.command !== undefined)
    return fail(invalid("command", "must not stand beside `argv`; send one of the two"));
  if (sent.command !== undefined) return ok({ kind: "command", text: sent.command });
  const argv = toArgv(sent.argv ?? []);
  return argv === null ? fail(invalid("argv", "or `command` must be given; send one of the two")) : ok({ kind: "argv", argv });
}

/** Doubled slashes, a trailing one and `.` mean nothing to the kernel; `..` means something else behind a link than it does on paper. */
function cwdOf(sent: string): Result<AbsolutePath, Denial> {
  if (!sent.startsWith("/")) return fail(invalid("cwd", "must be an absolute path"));
  const parts = sent.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return fail(invalid("cwd", "must not contain `..`; send the canonical path"));
  const path = parseAbsolutePath(`/${parts.join("/")}`);
  return path.ok ? path : fail(invalid("cwd", "must be an absolute path"));
}

function stdinOf(sent: Sent): Result<Uint8Array | null, Denial> {
  if (sent.stdin !== undefined && sent.stdinBase64 !== undefined) {
    return fail(invalid("stdinBase64", "must not stand beside `stdin`; send one of the two"));
  }
  if (sent.stdinBase64 === undefined) return ok(sent.stdin === undefined ? null : Buffer.from(sent.stdin, "utf8"));
  const bytes = Buffer.from(sent.stdinBase64, "base64");
  // Node skips what is not base64; only the one spelling that decodes and encodes back is taken.
  if (bytes.toString("base64") !== sent.stdinBase64) return fail(invalid("stdinBase64", "must be padded base64 of RFC 4648 section 4"));
  if (bytes.length > STDIN_BASE64_BYTES_MAX) return fail(invalid("stdinBase64", `must stand for at most ${STDIN_BASE64_BYTES_MAX} bytes`));
  return ok(bytes);
}
