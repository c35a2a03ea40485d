import type { ToolCall, ToolMachine } from "./tool-call.ts";
import type { ToolPolicy } from "./tool-policy.ts";

/** An address on the public net that nothing is sent to: it stands for a name that has not been looked up yet. */
const SOMEWHERE_PUBLIC = "1.1.1.1";

/**
 * The host names whose addresses a call's verdict hangs on, and only those: a call that is denied anyway asks for none. Looking a name up
 * tells it to the name's own server, so an agent could otherwise send out a secret as `<secret>.evil.example` without fetching anything.
 */
export function namesToLookUp(policy: ToolPolicy, call: ToolCall, machine: ToolMachine): readonly string[] {
  const names = new Set<string>();
  const noting: ToolMachine = {
    ...machine,
    addressesOf(host) {
      names.add(host);
      return [SOMEWHERE_PUBLIC];
    },
  };
  return policy.evaluate(call, noting).allowed ? [...names] : [];
}
