import { parseSettings } from "../../../src/config/settings.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { ASKS, SECURITIES } from "../../../src/policy/document.ts";
import { chosenMode, judgeDirective, parseDirective } from "../../../src/tools/directive.ts";
import { placeOf } from "../../../src/tools/elevated.ts";
import { isSandboxedSession } from "../../../src/tools/session-key.ts";
import type { SenderFacts } from "../../../src/tools/tool-call.ts";
import { ELEVATED_MODES, type ElevatedMode, SANDBOX_MODES } from "../../../src/tools/tool-config.ts";
import type { Area } from "../area.ts";
import { oneOf, same, textOf } from "../reading.ts";

export const area: Area = {
  name: "elevated",
  check({ given, expect }) {
    switch (given["op"] ?? "exec") {
      case "exec":
        return lacks(placed(given), expect);
      case "authorize":
        return lacks(authorized(given), expect);
      case "directive": {
        const directive = parseDirective(textOf(given["text"]));
        return lacks({ directive: directive === null ? null : { mode: directive.mode } }, expect);
      }
      case "request":
        return lacks(judgeDirective(given["authorized"] === true), expect);
      case "sandboxed": {
        const mode = oneOf(given["agentMode"] ?? given["mode"], SANDBOX_MODES);
        return lacks({ sandboxed: isSandboxedSession(mode, textOf(given["sessionKey"]), textOf(given["mainKey"] ?? "main")) }, expect);
      }
      default:
        return `does not know the op ${JSON.stringify(given["op"])}`;
    }
  },
};

function placed(given: JsonObject): object {
  const { reason: _, ...place } = placeOf({
    sandboxed: given["sandboxed"] === true,
    chosen: chosenMode(modeOf(given["inline"]), modeOf(given["session"])),
    usual: modeOf(given["default"]),
    authorized: given["authorized"] === true,
    exec: {
      toolAllowed: given["execAllowed"] !== false,
      security: oneOf(given["security"] ?? "allowlist", SECURITIES),
      ask: oneOf(given["ask"] ?? "on-miss", ASKS),
      listed: given["allowlisted"] === true,
    },
  });
  return place;
}

function modeOf(value: JsonValue | undefined): ElevatedMode | null {
  return value === undefined || value === null ? null : oneOf(value, ELEVATED_MODES);
}

/** A file that does not load authorises nobody. */
function authorized(given: JsonObject): object {
  const settings = parseSettings(JSON.stringify(given["config"]), "vector");
  if (!settings.ok) return { allowed: false, why: settings.failure.message };
  const channel = given["channel"];
  const { elevated } = settings.value;
  return elevated.authorize({
    agentId: textOf(given["agentId"] ?? "main"),
    ...(channel === undefined ? {} : { channel: textOf(channel) }),
    sender: senderOf(given["sender"]),
  });
}

function senderOf(value: JsonValue | undefined): SenderFacts {
  if (!isJsonObject(value)) throw new Error("a sender is an object");
  const fields = Object.entries(value).flatMap(([field, text]) =>
    text === null || text === undefined ? [] : [[field, textOf(text)] as const],
  );
  return Object.fromEntries(fields);
}

/** Everything that is expected must be found; more may be there. */
function lacks(found: object, expect: JsonObject): string | null {
  const members: JsonObject = { ...found };
  return Object.entries(expect).every(([key, value]) => same(members[key], value)) ? null : `gave ${JSON.stringify(found)}`;
}
