/** Root sees through every lock, so what is measured against an attacker of the same uid must run as somebody else. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isJsonObject } from "../../src/core/json.ts";
import { scratchDirectory } from "./scratch.ts";

const NOBODY = 65534;
export const AS_NOBODY: readonly string[] = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
/** From `build/test/support`. */
const PROJECT = join(import.meta.dirname, "../../..");

/** Runs this very program again as nobody and ends with its exit code; does nothing when we are not root. */
export function leaveRoot(): void {
  if (process.getuid?.() !== 0) return;
  const [, program = "", ...rest] = process.argv;
  const readable = spawnSync("setpriv", [...AS_NOBODY, "test", "-r", program]).status === 0;
  const copy = readable ? null : copyOfProject();
  const from = copy === null ? program : join(copy.path, relative(PROJECT, program));
  const again = spawnSync("setpriv", [...AS_NOBODY, process.execPath, from, ...rest], { stdio: "inherit" });
  copy?.remove();
  if (again.error !== undefined)
    console.error(`cannot become another user: ${again.error.message}; install setpriv, or do not run this as root`);
  process.exit(again.status ?? 1);
}

/** A clone under root's home is closed to others: what is needed to run goes where it can be read. */
function copyOfProject(): ReturnType<typeof scratchDirectory> {
  const copy = scratchDirectory();
  chmodSync(copy.path, 0o755);
  const lock: unknown = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8"));
  const packages = isJsonObject(lock) && isJsonObject(lock["packages"]) ? Object.entries(lock["packages"]) : [];
  const needed = packages.flatMap(([path, entry]) => (path !== "" && isJsonObject(entry) && entry["dev"] !== true ? [path] : []));
  for (const path of ["build", "package.json", ...needed]) {
    if (existsSync(join(PROJECT, path))) cpSync(join(PROJECT, path), join(copy.path, path), { recursive: true });
  }
  return copy;
}
