import { ELEVATED_MODES, type ElevatedMode } from "./tool-config.ts";

/** `/elevated on`, or `/elev on` in front of a message. */
export interface Directive {
  readonly mode: ElevatedMode;
  /** Alone it holds for the session; in front of a message, for that message. */
  readonly scope: "session" | "inline";
}

/** Only at the very beginning: a message that quotes a directive further on must not elevate anybody. */
export function parseDirective(message: string): Directive | null {
  const [whole = "", word] = /^\/(?:elevated|elev)[ \t]+([a-z]+)(?=\s|$)/.exec(message) ?? [];
  const mode = ELEVATED_MODES.find((each) => each === word);
  if (mode === undefined) return null;
  return { mode, scope: message.slice(whole.length).trim() === "" ? "session" : "inline" };
}

/** Directives count from listed senders alone; from anyone else even `off` is refused, and told to whoever watches. */
export function judgeDirective(authorized: boolean): { readonly accepted: boolean; readonly securityEvent: boolean } {
  return { accepted: authorized, securityEvent: !authorized };
}

/** The message's own word, else the session's. */
export function chosenMode(inline: ElevatedMode | null, session: ElevatedMode | null): ElevatedMode | null {
  return inline ?? session;
}
