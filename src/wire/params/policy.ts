/** Reading and editing what is allowed: the document, grants, tools and elevation. */
import * as v from "valibot";
import { PATCH_ENTRIES_MAX, PATH_BYTES_MAX, WIRE_NAME_BYTES_MAX } from "../../core/limits.ts";
import {
  agentId,
  anyObject,
  exactly,
  flag,
  listOf,
  lookupId,
  name,
  oneOf,
  optional,
  page,
  sessionKey,
  sha256Hex,
  text,
  whole,
} from "../schema.ts";
import { claim, ELEVATED_MODES, sender } from "./command.ts";

export const setDocument = exactly({ document: anyObject, baseHash: sha256Hex });

const pattern = text(1, PATH_BYTES_MAX);
const newEntry = v.union(
  [
    v.pipe(
      pattern,
      v.transform((sent) => ({ pattern: sent })),
    ),
    exactly({
      pattern,
      argPattern: optional(text(1, PATH_BYTES_MAX)),
      sha256: optional(sha256Hex),
      expiresAt: optional(whole(1, Number.MAX_SAFE_INTEGER)),
      usesLeft: optional(whole(1, Number.MAX_SAFE_INTEGER)),
    }),
  ],
  "must be a pattern, or an object of `pattern`, `argPattern`, `sha256`, `expiresAt`, `usesLeft`",
);

/** `*` is the section that holds for every agent. `remove` names entries by id or by pattern. */
export const patchDocument = exactly({
  baseHash: sha256Hex,
  agentId: v.union([v.literal("*"), agentId], "must be an agent's id or `*`"),
  add: optional(listOf(newEntry, 1, PATCH_ENTRIES_MAX)),
  remove: optional(listOf(text(1, PATH_BYTES_MAX), 1, PATCH_ENTRIES_MAX)),
});

export const getNodeDocument = exactly({ nodeId: name });
export const setNodeDocument = exactly({ nodeId: name, document: anyObject, baseHash: sha256Hex });

export const listGrants = exactly({ agentId: optional(agentId), ...page });
export const revokeGrant = exactly({ id: lookupId });

const toolCall = { agentId: optional(agentId), sessionKey: optional(sessionKey), context: optional(claim) };

/** `args` are the tool's own and may be anything; `path` and `url` are what is judged. */
export const evaluateTool = exactly({ tool: text(1, WIRE_NAME_BYTES_MAX), ...toolCall, args: optional(anyObject) });
export const listTools = exactly(toolCall);

export const evaluateElevated = exactly({
  sender,
  channel: name,
  agentId: optional(agentId),
  mode: oneOf(ELEVATED_MODES),
  sandboxed: flag,
});
