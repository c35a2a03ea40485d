import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { ExecDocument } from "./document.ts";
import { isList } from "./document-fields.ts";

/**
 * The bytes of exec-approvals.json: two spaces and a final newline, so that people can read and diff it. They come piece by piece, because
 * a document of 100,000 entries takes longer to render than anybody else should have to wait.
 */
export function* documentPieces(document: ExecDocument): Generator<string> {
  yield* pieces(document.raw, "\n", DEPTH_OF_ENTRIES);
  yield "\n";
}

export function renderDocument(document: ExecDocument): string {
  return [...documentPieces(document)].join("");
}

/** Document, `agents`, agent, `allowlist`: an entry is rendered whole. */
const DEPTH_OF_ENTRIES = 4;

/** What `JSON.stringify(value, null, 2)` says. A newline in it is always one between tokens: inside of strings they are escaped. */
function* pieces(value: JsonValue, newline: string, depth: number): Generator<string, void> {
  const members = depth === 0 ? [] : membersOf(value);
  if (members.length === 0) {
    yield JSON.stringify(value, null, 2).replaceAll("\n", newline);
    return;
  }
  const [open, close] = isList(value) ? ["[", "]"] : ["{", "}"];
  const inner = `${newline}  `;
  let before = open;
  for (const [label, member] of members) {
    yield `${before}${inner}${label}`;
    yield* pieces(member, inner, depth - 1);
    before = ",";
  }
  yield `${newline}${close}`;
}

function membersOf(value: JsonValue): readonly (readonly [label: string, member: JsonValue])[] {
  if (isList(value)) return value.map((item) => ["", item]);
  if (!isJsonObject(value)) return [];
  // A member that is not there is not written, as JSON has it.
  return Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[`${JSON.stringify(key)}: `, member] as const]));
}
