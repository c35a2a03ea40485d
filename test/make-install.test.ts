/** `make install`: what it puts in place runs from there, with nothing of the checkout, and `make uninstall` takes all of it away. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "./support/scratch.ts";

const ROOT = join(import.meta.dirname, "..");

function make(target: string, destination: string): string {
  const { status, stdout, stderr } = spawnSync("make", ["-s", target, `DESTDIR=${destination}`, "PREFIX=/usr"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [] : [join(entry.parentPath, entry.name)],
  );
}

test("what is installed runs by itself, is complete, and goes again without a trace", () => {
  const scratch = scratchDirectory();
  onTestFinished(() => scratch.remove());
  make("install", scratch.path);
  const at = (path: string): string => join(scratch.path, "usr", path);
  const run = (...words: readonly string[]): string =>
    spawnSync(at("bin/countersign"), words, {
      cwd: scratch.path,
      env: { HOME: scratch.path, PATH: process.env["PATH"] ?? "" },
      encoding: "utf8",
    }).stdout;
  expect(run("--version")).toMatch(/^countersign \d/);
  expect(run("doctor", "--json", "--state-dir", join(scratch.path, "state"))).toContain('"ok":true');
  expect(run("install", "--user", "--root", join(scratch.path, "root"))).toContain("countersign.service");
  const installed = filesIn(at("."));
  for (const name of ["man1/countersign.1", "man8/countersign.8", "completions/countersign", "_countersign", "countersign.fish"]) {
    expect(installed.some((path) => path.endsWith(`/${name}`))).toBe(true);
  }
  expect(installed.filter((path) => path.includes("typescript"))).toEqual([]);
  make("uninstall", scratch.path);
  expect(filesIn(at("."))).toEqual([]);
});
