import type { Code } from "../core/codes.ts";
import { type Denial, denial } from "../core/denial.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { BoundParts } from "./binding.ts";
import type { HashedFile } from "./evidence.ts";

/** One part that is not what was approved: hashes, paths and words, never environment values. */
export interface Difference {
  readonly code: Code;
  readonly field: string;
  readonly approved: JsonValue;
  readonly found: JsonValue;
}

/** All parts that differ, in the order in which the codes are listed in the protocol. */
export function differencesBetween(approved: BoundParts, found: BoundParts): readonly Difference[] {
  return [
    ...differing("binding.argv-differs", "argv", approved.argv, found.argv),
    ...differing("binding.cwd-differs", "cwd", approved.cwd, found.cwd),
    ...differing("binding.env-differs", "env", approved.envHash, found.envHash),
    ...differing("binding.agent-differs", "agentId", approved.agentId, found.agentId),
    ...differing("binding.session-differs", "sessionKey", approved.sessionKey, found.sessionKey),
    ...differing("binding.executable-differs", "executable", plain(approved.executable), plain(found.executable)),
    ...differingLists("binding.file-differs", "files", approved.files.map(operand), found.files.map(operand)),
    ...differingLists("binding.nested-differs", "nested", approved.nested.map(plain), found.nested.map(plain)),
    ...differing("binding.stdin-differs", "stdin", approved.stdin.sha256, found.stdin.sha256),
  ];
}

export function differsDenial(differences: readonly [Difference, ...Difference[]]): Denial {
  const [first] = differences;
  const rest = differences.length > 1 ? ` (and ${differences.length - 1} more)` : "";
  return denial(first.code, `${sentence(first)}${rest}; ask for a new approval`, {
    field: first.field,
    approved: first.approved,
    found: first.found,
    differences: differences.map((each): JsonObject => ({ ...each })),
  });
}

function sentence(difference: Difference): string {
  const { field, approved, found } = difference;
  if (typeof approved === "string" && typeof found === "string") return `${field} was approved as \`${approved}\` and is now \`${found}\``;
  const path = pathOf(approved) ?? pathOf(found);
  if (path !== null) return `\`${path}\` is not what was approved: ${digest(approved)} became ${digest(found)}`;
  return `${field} is not what was approved`;
}

function pathOf(value: JsonValue): string | null {
  return isJsonObject(value) && typeof value["path"] === "string" ? value["path"] : null;
}

function digest(value: JsonValue): string {
  return isJsonObject(value) && typeof value["sha256"] === "string" ? value["sha256"].slice(0, 12) : "nothing";
}

function differing(code: Code, field: string, approved: JsonValue, found: JsonValue): readonly Difference[] {
  return JSON.stringify(approved) === JSON.stringify(found) ? [] : [{ code, field, approved, found }];
}

/** Names the first member that differs, so that a person reads one file and not two lists. */
function differingLists(code: Code, field: string, approved: readonly JsonObject[], found: readonly JsonObject[]): readonly Difference[] {
  const length = Math.max(approved.length, found.length);
  return Array.from({ length }, (_, index) => differing(code, `${field}[${index}]`, approved[index] ?? null, found[index] ?? null)).flat();
}

function plain(file: HashedFile): JsonObject {
  return { path: file.path, sha256: file.sha256 };
}

function operand(file: HashedFile & { readonly argvIndex: number }): JsonObject {
  return { argvIndex: file.argvIndex, path: file.path, sha256: file.sha256 };
}
