/** Which service manager looks after the daemon of this state directory, as far as its files say. Loads nothing, so that `status` stays quick. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Place, Variables } from "../../client/locate.ts";
import { homeOf } from "../../client/locate.ts";

export function installedUnit({ stateDir }: Place, env: Variables): string | null {
  const home = homeOf(env);
  const config = env["XDG_CONFIG_HOME"]?.startsWith("/") === true ? env["XDG_CONFIG_HOME"] : join(home, ".config");
  if (stateDir === "/var/lib/countersign") return found("/etc/systemd/system/countersign.service");
  const usual = stateDir === join(home, ".local/state/countersign");
  const candidates = [join(config, "systemd/user/countersign.service"), join(home, "Library/LaunchAgents/countersign.daemon.plist")];
  return candidates.find((unit) => existsSync(unit) && (usual || names(unit, stateDir))) ?? null;
}

function found(unit: string): string | null {
  return existsSync(unit) ? unit : null;
}

function names(unit: string, stateDir: string): boolean {
  try {
    return readFileSync(unit, "utf8").includes(stateDir);
  } catch {
    return false;
  }
}
