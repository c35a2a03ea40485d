/** Looking at a running daemon from outside, with the tools that everybody has. */
import { spawnSync } from "node:child_process";
import { countersign } from "../../../support/countersign.ts";
import type { Scene } from "../../stage.ts";
import { unsafe } from "../fs.ts";

export async function probe({ daemon }: Scene, command: string): Promise<readonly string[]> {
  // A client that is at work while somebody looks.
  const client = countersign(["status", "--state-dir", daemon.stateDir]);
  const { stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
  await client;
  const found = [daemon.gatewayToken, daemon.operatorToken].flatMap((secret) =>
    stdout.includes(secret) ? ["a token can be read there"] : [],
  );
  if (stdout === "") throw new Error(`\`${command}\` showed nothing: ${stderr}`);
  if (command.startsWith("ls ")) found.push(...unsafe(daemon.stateDir, daemon.socketPath));
  if (/prlimit.*--core/.test(command) && !/^CORE.*\s0\s+\S+\s+bytes$/m.test(stdout)) found.push(`it may dump core: ${stdout}`);
  return found;
}
