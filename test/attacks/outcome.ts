/** What became of an attempt, in the corpus's own words. A daemon that broke has not refused anything. */
import type { JsonObject } from "../../src/core/json.ts";
import type { Answer } from "../support/session.ts";
import type { Attack } from "./attack.ts";
import type { Ground } from "./ground.ts";

export interface Outcome {
  readonly decision: "allow" | "ask" | "deny";
  readonly code: string | null;
  readonly words: string;
  readonly data: JsonObject;
}

export function outcomeOf(answer: Answer): Outcome {
  if (answer.ok) return { decision: "allow", code: null, words: JSON.stringify(answer.result), data: answer.result };
  const { code, message, data } = answer;
  if (code === "internal" || (code.startsWith("client.") && code !== "client.aborted"))
    throw new Error(`the daemon broke: ${code}: ${message}`);
  return { decision: code === "approval.required" ? "ask" : "deny", code, words: `${code}: ${message}`, data };
}

/** Complaints about what came out, empty when it is what the corpus accepts. */
export function complaints({ expect, isPolicyChoice }: Attack, outcome: Outcome, ground: Ground): readonly string[] {
  const found: string[] = [];
  if (expect.marker === "absent" && ground.marked()) found.push("the marker is there: the attack succeeded");
  const accepted = expect.decisions;
  if (accepted !== null && !accepted.includes(outcome.decision) && !(isPolicyChoice && outcome.decision === "allow")) {
    found.push(`it came out as ${outcome.decision} (${outcome.words}) where ${accepted.join(" or ")} would do`);
  }
  return found;
}

/** A refusal is for people: it says something, in one line, and never repeats what could take over a terminal. */
export function unfitWords({ code, words }: Outcome): readonly string[] {
  if (code === null) return [];
  const found = Array.from(words).find(
    (char) => char < " " || (char >= "\u007f" && char <= "\u009f") || /[\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u.test(char),
  );
  return found === undefined ? [] : [`the refusal carries a raw U+${found.codePointAt(0)?.toString(16)}: ${JSON.stringify(words)}`];
}
