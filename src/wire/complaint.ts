/** Turns a schema's complaint into a denial that names the field and never repeats what was in it. */
import type { BaseIssue } from "valibot";
import { type Denial, denial } from "../core/denial.ts";
import { shownText } from "./shown-text.ts";

export function complaintOf(issue: BaseIssue<unknown>): Denial {
  const path = pathOf(issue);
  const shown = `\`${shownText(path)}\``;
  if (issue.type === "strict_object" && issue.path !== undefined) {
    return issue.expected === "never"
      ? denial("wire.unknown-field", `${shown} is not a known member; leave it out`, { path })
      : denial("wire.invalid-params", `${shown} is missing; send it`, { path });
  }
  return path === "" ? invalid("params", issue.message) : invalid(path, issue.message);
}

/** `message` completes "`field` …". */
export function invalid(path: string, message: string): Denial {
  return denial("wire.invalid-params", `\`${shownText(path)}\` ${message}`, { path });
}

function pathOf(issue: BaseIssue<unknown>): string {
  const keys = (issue.path ?? []).map((part) => (typeof part.key === "number" ? `[${part.key}]` : `.${String(part.key)}`));
  // A member's name is the sender's text and may be as long as a line.
  return keys.join("").replace(/^\./, "").slice(0, 256);
}
