import type { AbsolutePath } from "../core/absolute-path.ts";
import type { AgentId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { LayerRow } from "./layer.ts";
import type { ElevatedMode } from "./tool-config.ts";

/** One call of a tool, as a gateway asks about it. */
export interface ToolCall {
  readonly tool: string;
  readonly agentId: AgentId;
  readonly sessionKey?: string;
  readonly context: CallContext;
  /** Absent: the question is about the tool alone. Present: what it would be called with is judged too, and must be there. */
  readonly args?: JsonObject;
}

/** The gateway's claim. Who is not said to be an owner is none; a depth that is not said is read off the session's key. */
export interface CallContext {
  readonly provider?: string;
  readonly model?: string;
  readonly senderIsOwner?: boolean;
  readonly sandboxed?: boolean;
  readonly subagentDepth?: number;
  readonly sender?: Sender;
  readonly channel?: string;
  readonly elevated?: ElevatedMode;
}

export type Sender = string | SenderFacts;

export interface SenderFacts {
  readonly id?: string;
  readonly from?: string;
  readonly name?: string;
  readonly username?: string;
  readonly tag?: string;
  readonly e164?: string;
}

export interface ToolVerdict {
  readonly allowed: boolean;
  readonly code: "policy.tool-denied" | null;
  readonly reason: string;
  /** What each layer that had something to say said, up to and including the first no. */
  readonly layers: readonly LayerRow[];
}

/** What rules about arguments must ask of the machine. The edge answers from the real one, tests from a table. */
export interface ToolMachine {
  /** Canonical, as the tools see it: what `~` stands for. */
  readonly home: AbsolutePath;
  readonly stateDirectory: AbsolutePath;
  /** Where a symbolic link points, readlink(2). `hidden`: it could not be looked at, so nobody can say where the path leads. */
  linkAt(path: AbsolutePath): { readonly target: string } | "none" | "hidden";
  /** The spelling that the file system itself uses; `null` when nothing is there. */
  realPath(path: AbsolutePath): AbsolutePath | null;
  sizeOf(path: AbsolutePath): number | null;
  /** Every address that a host name has, looked up beforehand (name-lookup.ts); `null` when it has none. */
  addressesOf(host: string): readonly string[] | null;
}

/** The machine as one call sees it: every rule is told the same about a path, and each path is looked at once. */
export function remembering(machine: ToolMachine): ToolMachine {
  return {
    ...machine,
    linkAt: remembered((path) => machine.linkAt(path)),
    realPath: remembered((path) => machine.realPath(path)),
  };
}

function remembered<Answer>(look: (path: AbsolutePath) => Answer): (path: AbsolutePath) => Answer {
  const known = new Map<AbsolutePath, { readonly answer: Answer }>();
  return (path) => {
    const found = known.get(path) ?? { answer: look(path) };
    known.set(path, found);
    return found.answer;
  };
}
