import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSettings, type Settings } from "../../../src/config/settings.ts";
import { type AgentId, isAgentId } from "../../../src/core/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { isBlockedAddress, isBlockedHost } from "../../../src/tools/address.ts";
import { isWithinSize } from "../../../src/tools/file-rules.ts";
import type { ToolVerdict } from "../../../src/tools/tool-call.ts";
import { parseTarget } from "../../../src/tools/web-target.ts";
import { type MachineTable, PUBLIC_ADDRESS, toolMachine } from "../../tools/table-machine.ts";
import type { Area } from "../area.ts";
import { textOf } from "../reading.ts";

export const area: Area = {
  name: "path-and-domain",
  check({ given, expect }) {
    switch (given["op"]) {
      case "path":
        return verdictDiffers(judgePath(given), expect);
      case "size":
        return differs({ allowed: isWithinSize(Number(given["bytes"]), Number(given["maxSizeBytes"])) }, expect);
      case "web-fetch":
        return verdictDiffers(judgeWeb("web_fetch", given), expect);
      case "browser":
        return verdictDiffers(judgeWeb("browser", given), expect);
      case "ip-class":
        return differs({ blocked: isBlockedAddress(textOf(given["address"])) }, expect);
      case "host-class":
        return differs({ blocked: isBlockedHost(textOf(given["host"])) }, expect);
      case "pitlane-bash":
        return verdictDiffers(evaluate(pitlane(given), "Bash", { command: textOf(given["command"]) }, {}), expect);
      case "pitlane-path":
        return verdictDiffers(judgePitlanePath(given), expect);
      case "pitlane-fetch":
        return verdictDiffers(evaluate(pitlane(given), "web_fetch", { url: textOf(given["url"]) }, { others: [PUBLIC_ADDRESS] }), expect);
      case "pitlane-tool":
        return differs({ available: evaluate(pitlane(given), pitlaneTool(given), null, {}).allowed }, expect);
      default:
        return `does not know the op ${JSON.stringify(given["op"])}`;
    }
  },
};

function judgePath(given: JsonObject): ToolVerdict {
  const tool = textOf(given["tool"]);
  const settings = load({ tools: { [tool === "read" ? "read" : "write"]: given["rules"] } });
  return evaluate(settings, tool, { path: textOf(given["path"]), cwd: given["cwd"] }, tableOf(given));
}

function judgeWeb(tool: "web_fetch" | "browser", given: JsonObject): ToolVerdict {
  const { url, redirectTo, resolvesTo } = given;
  const settings = load({ tools: { [tool]: given["rules"] } });
  const target = parseTarget(textOf(url));
  const addresses = target.ok && resolvesTo !== undefined ? { [target.value.host]: [textOf(resolvesTo)] } : {};
  return evaluate(settings, tool, { url, redirectTo }, { addresses, others: [PUBLIC_ADDRESS] });
}

/** The workspace of a vector takes the place of the one that the shipped policy makes from the session's key. */
function judgePitlanePath(given: JsonObject): ToolVerdict {
  return evaluate(pitlane(given), textOf(given["tool"]), { path: textOf(given["path"]) }, tableOf(given));
}

const PITLANE = readFileSync(join(process.cwd(), "fixtures/policies/pitlane.json5"), "utf8");
const WORKSPACE = "~/.pitlane/workspaces/{sessionKey}";

function pitlane({ workspace }: JsonObject): Settings {
  const settings = parseSettings(typeof workspace === "string" ? PITLANE.replace(WORKSPACE, workspace) : PITLANE, "pitlane.json5");
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
}

/** The policy calls tools by our names; PitLane's own host calls one of them otherwise. */
function pitlaneTool({ tool }: JsonObject): string {
  return tool === "WebFetch" ? "web_fetch" : textOf(tool);
}

function load(config: JsonObject): Settings {
  const settings = parseSettings(JSON.stringify(config), "vector");
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
}

function evaluate(settings: Settings, tool: string, args: JsonObject | null, table: MachineTable): ToolVerdict {
  const call = { tool, agentId: main(), context: { senderIsOwner: true } };
  return settings.tools.evaluate(args === null ? call : { ...call, args }, toolMachine(table));
}

function tableOf({ home, symlinks }: JsonObject): MachineTable {
  const links = isJsonObject(symlinks) ? Object.entries(symlinks).map(([link, target]) => [link, textOf(target)] as const) : [];
  return { ...(typeof home === "string" ? { home } : {}), links: Object.fromEntries(links) };
}

function main(): AgentId {
  const name: string = "main";
  if (!isAgentId(name)) throw new Error("`main` is an agent");
  return name;
}

function verdictDiffers(verdict: ToolVerdict, expect: JsonObject): string | null {
  const rule = verdict.layers.at(-1)?.rule;
  const isAsSaid = verdict.allowed === expect["allowed"] && (expect["why"] === undefined || expect["why"] === rule);
  return isAsSaid ? null : `gave ${String(verdict.allowed)} by ${JSON.stringify(verdict.layers.at(-1))}`;
}

function differs(found: Readonly<Record<string, JsonValue>>, expect: JsonObject): string | null {
  return Object.entries(expect).every(([key, value]) => found[key] === value) ? null : `gave ${JSON.stringify(found)}`;
}
