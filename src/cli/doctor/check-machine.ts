/** What the machine gives: native code, a clock that can be believed, who shares our uid, and another program's state next to ours. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tailRecords } from "../../audit/tail.ts";
import { isAgentId } from "../../core/ids.ts";
import { CLOCK_BEHIND_MS_MAX } from "../../core/limits.ts";
import { spanText } from "../moments.ts";
import type { Finding } from "./finding.ts";
import { type Ground, settingsInForce } from "./ground.ts";

export async function checkMachine(ground: Ground): Promise<readonly Finding[]> {
  return [...native(ground), ...accounts(ground), ...(await clock(ground)), ...openclaw(ground)];
}

function native({ native: code }: Ground): readonly Finding[] {
  const about = "native code";
  if (code !== null) return [{ about, level: "good", message: "loaded: files can be sealed and peers told apart" }];
  const remedy =
    process.platform === "linux"
      ? "install the optional package koffi: npm install koffi"
      : "none for this system; the label says what is left";
  return [
    { about, level: "weak", message: "none: files are pinned or checked, not sealed, and peers are known by their token alone", remedy },
  ];
}

function accounts(ground: Ground): readonly Finding[] {
  const about = "accounts";
  const agent: string = "main";
  const runAs = isAgentId(agent) ? settingsInForce(ground).execFor(agent).runAs : undefined;
  if (runAs !== undefined) return [{ about, level: "good", message: `commands run as \`${runAs}\`, not as the daemon` }];
  return [
    {
      about,
      level: "note",
      message:
        "commands run under the daemon's own uid: this stops accidents and drift, not a hostile agent that reads the state directory",
      remedy: "the strong deployment is `countersign install --system --run-as USER`",
    },
  ];
}

/** Grants and approvals run out by the clock: one that went back would let them live again. */
async function clock({ paths, nowMs }: Ground): Promise<readonly Finding[]> {
  const about = "clock";
  const unset = nowMs < Date.UTC(2025, 0, 1);
  if (unset)
    return [
      {
        about,
        level: "fails",
        message: `it says ${new Date(nowMs).toISOString()}, which cannot be`,
        remedy: "set it, and keep it set with NTP",
      },
    ];
  if (!existsSync(paths.audit)) return [];
  const tail = await tailRecords(paths.audit, { limit: 1 });
  // A log that cannot be read is the log's own finding.
  if (!tail.ok) return [];
  const last = tail.value.records.at(-1)?.at;
  if (last === undefined || last - nowMs <= CLOCK_BEHIND_MS_MAX) return [{ about, level: "good", message: "not behind the log" }];
  return [
    {
      about,
      level: "weak",
      message: `it is ${spanText(last - nowMs)} behind the newest record of the log`,
      remedy: "set it; until it has caught up, times are taken from the log",
    },
  ];
}

/** OpenClaw from 2026.8.1 on refuses to work while a file of this name lies in its own state directory. */
function openclaw({ home, env, paths }: Ground): readonly Finding[] {
  const own = env["OPENCLAW_STATE_DIR"] ?? join(home, ".openclaw");
  const theirs = join(own, "exec-approvals.json");
  if (own === paths.directory || !existsSync(theirs)) return [];
  return [
    {
      about: "openclaw",
      level: "weak",
      message: `\`${theirs}\` lies in OpenClaw's own state directory, and OpenClaw from 2026.8.1 on refuses to work next to it`,
      remedy: "take it over with `countersign import`, then move it away",
      path: theirs,
    },
  ];
}
