/** What may run without being asked, as the daemon lists it. */

import { CallError } from "../../client/call-error.ts";
import type { Client } from "../../client/client.ts";
import { count, type Guarded, list, maybe, object, text } from "../../client/shape.ts";

const isGrant = object({
  id: text,
  agentId: text,
  pattern: text,
  argPattern: maybe(text),
  sha256: maybe(text),
  source: maybe(text),
  expiresAt: maybe(count),
  usesGranted: maybe(count),
  usesLeft: maybe(count),
  lastUsedAt: maybe(count),
});
export type Grant = Guarded<typeof isGrant>;

const isPage = object({ grants: list(isGrant), next: maybe(text) });

export async function allGrants(client: Client, agentId?: string): Promise<readonly Grant[]> {
  const found: Grant[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client.call("exec.grants.list", {
      ...(agentId === undefined ? {} : { agentId }),
      ...(typeof cursor === "string" ? { cursor } : {}),
    });
    if (!isPage(page))
      throw new CallError("client.bad-answer", "the daemon sent grants that this version cannot read; update the older of the two");
    found.push(...page.grants);
    cursor = page.next;
  } while (typeof cursor === "string");
  return found;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Entries that a person wrote by hand have no id; they are known by their pattern. */
export function shortId({ id }: Grant): string {
  return UUID.test(id) ? id.slice(0, 8) : "-";
}
