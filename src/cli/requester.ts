import type { JsonObject } from "../core/json.ts";
import { shownWord } from "../wire/display.ts";
import { shownText } from "../wire/shown-text.ts";

/** Who asked, as the kernel and the credential say it; `null` when neither does. */
export function requesterText({ pid, uid, exe, credential }: JsonObject): string | null {
  const parts = [
    ...(typeof pid === "number" ? [`pid ${pid}`] : []),
    ...(typeof uid === "number" ? [`uid ${uid}`] : []),
    ...(typeof exe === "string" ? [shownWord(exe)] : []),
    ...(typeof credential === "string" ? [`with the credential ${shownText(credential)}`] : []),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
