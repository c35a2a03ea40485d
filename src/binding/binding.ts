import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import { type Environment, envHashOf } from "../core/environment.ts";
import type { AgentId } from "../core/ids.ts";
import { netstrings } from "../core/netstring.ts";
import { type Sha256, sha256Of } from "../core/sha256.ts";
import type { Evidence, HashedFile, HashedOperand } from "./evidence.ts";

/** What is asked for now, taken exactly as sent: nothing is trimmed, re-joined or case-folded. */
export interface Asked {
  readonly argv: Argv;
  readonly environment: Environment;
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly stdin: StdinDigest;
}

export interface StdinDigest {
  readonly bytes: number;
  readonly sha256: Sha256 | null;
}

/** Everything an approval holds for. Two requests with the same parts have the same binding, and no others do. */
export interface BoundParts {
  readonly argv: Argv;
  readonly cwd: AbsolutePath;
  readonly envHash: string;
  readonly agentId: AgentId;
  readonly sessionKey: string;
  readonly executable: HashedFile;
  readonly files: readonly HashedOperand[];
  readonly nested: readonly HashedFile[];
  readonly stdin: StdinDigest;
}

export function boundParts(asked: Asked, evidence: Evidence): BoundParts {
  return {
    argv: asked.argv,
    cwd: evidence.cwd.path,
    envHash: envHashOf(asked.environment),
    agentId: asked.agentId,
    sessionKey: asked.sessionKey,
    executable: evidence.executable,
    files: evidence.files,
    nested: evidence.nested,
    stdin: asked.stdin,
  };
}

/** Protocol section 7, byte for byte. Netstrings and counts make it injective: no part can run into the next. */
export function bindingOf(parts: BoundParts): string {
  const { argv, executable, files, nested } = parts;
  let text = netstrings(["countersign-binding-v1", "argv", String(argv.length)]) + netstrings(argv);
  text += netstrings(["cwd", parts.cwd, "env", parts.envHash, "agent", parts.agentId, "session", parts.sessionKey]);
  text += netstrings(["executable", executable.path, executable.sha256, "files", String(files.length)]);
  for (const file of files) text += netstrings([String(file.argvIndex), file.path, file.sha256]);
  text += netstrings(["nested", String(nested.length)]);
  for (const file of nested) text += netstrings([file.path, file.sha256]);
  text += netstrings(["stdin", parts.stdin.sha256 ?? "none"]);
  return `sha256:${sha256Of(text)}`;
}
