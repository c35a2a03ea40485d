/** The settings file that a command means: the one it names, the one in the environment, or the daemon's own. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CallError } from "../../client/call-error.ts";
import { SETTINGS_BYTES_MAX } from "../../core/limits.ts";
import type { CommandCall } from "../command.ts";
import { placeOf } from "../session.ts";

export interface SettingsText {
  readonly source: string;
  /** `null`: nobody named a file and there is none, so the defaults hold. */
  readonly text: string | null;
}

export async function settingsText(call: CommandCall, named: string | undefined): Promise<SettingsText> {
  if (named === "-") return { source: "standard input", text: await standardInput(call) };
  const chosen = named ?? call.io.env["COUNTERSIGN_CONFIG"];
  const path = chosen === undefined || chosen === "" ? join(placeOf(call).stateDir, "countersign.json5") : resolve(call.io.cwd, chosen);
  if (chosen === undefined && !existsSync(path)) return { source: path, text: null };
  try {
    return { source: named ?? path, text: readFileSync(path, "utf8") };
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new CallError("config.invalid", `\`${path}\` cannot be read (${why}); name another file`, { path });
  }
}

async function standardInput(call: CommandCall): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const input: AsyncIterable<Buffer> = call.io.stdin;
  for await (const chunk of input) {
    chunks.push(chunk);
    bytes += chunk.length;
    // What was read so far is too much already, and will be refused for it.
    if (bytes > SETTINGS_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
