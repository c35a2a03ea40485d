/** What a command costs before it does anything: the files it loads, read off the imports that are not deferred. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../../src");

function loadedBy(entry: string): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    const text = readFileSync(path, "utf8");
    for (const [, from = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm)) {
      if (from.startsWith(".")) visit(join(dirname(path), from));
      else if (!from.startsWith("node:")) packages.add(from);
    }
  };
  visit(join(SRC, entry));
  return { files: new Set([...files].map((path) => relative(SRC, path))), packages };
}

const layersOf = (files: ReadonlySet<string>): readonly string[] => [...new Set([...files].map((path) => path.split("/")[0] ?? ""))].sort();

describe("starting", () => {
  test("the program loads the table and no command, no daemon and no package", () => {
    const { files, packages } = loadedBy("main.ts");
    expect([...packages]).toEqual([]);
    expect(layersOf(files)).toEqual(["cli", "client", "core", "main.ts", "wire"]);
    expect(files.has("cli/run.ts")).toBe(false);
  });

  test.each(["run", "pending", "approve", "deny", "status"])("`%s` loads the client and nothing of the daemon's", (command) => {
    const { files, packages } = loadedBy(`cli/${command}.ts`);
    expect([...packages]).toEqual([]);
    expect(layersOf(files).filter((layer) => !["cli", "client", "core", "wire"].includes(layer))).toEqual([]);
  });

  test("`daemon` and `init` load the daemon only when they are called", () => {
    for (const command of ["daemon", "init"]) expect(layersOf(loadedBy(`cli/${command}.ts`).files)).not.toContain("daemon");
    expect(existsSync(join(SRC, "daemon/serve.ts"))).toBe(true);
  });
});
