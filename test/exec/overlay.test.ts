import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadNative } from "../../src/native/libc.ts";
import { scratchDirectory } from "../support/scratch.ts";

const PROGRAM = join(import.meta.dirname, "../../build/test/exec/kept-here.js");

/** In a mount namespace of its own, so that nothing stays mounted. */
function onOverlay(directory: string, ...argv: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  for (const name of ["lower", "upper", "work", "merged"]) mkdirSync(join(directory, name), { recursive: true });
  const mount = 'cd "$0" && mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work merged && exec "$@"';
  return spawnSync("unshare", ["--mount", "sh", "-c", mount, directory, ...argv], { encoding: "utf8" });
}

const probe = scratchDirectory();
const canMount = process.getuid?.() === 0 && existsSync("/proc/self/fd") && onOverlay(probe.path, "true").status === 0;
probe.remove();

test.runIf(canMount && loadNative() !== null)(
  "a program on overlayfs is copied, because a lease there does not see who has it mapped (needs root and overlayfs)",
  () => {
    const scratch = scratchDirectory();
    expect(existsSync(PROGRAM), "run `make build` before the live tests").toBe(true);
    expect(onOverlay(scratch.path, process.execPath, PROGRAM, join(scratch.path, "merged")).stdout).toBe("seal\n");
    const plain = spawnSync(process.execPath, [PROGRAM, scratch.path], { encoding: "utf8" });
    expect(["lease\n", "seal\n"]).toContain(plain.stdout);
    scratch.remove();
  },
);
