import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../src");

/** A layer may look at itself and at what stands before it in this list, never at what comes after. */
const LAYERS = [
  "core", "analysis", "policy", "tools", "config", "binding", "approvals", "wire",
  "native", "auth", "store", "audit", "exec", "daemon", "client", "cli",
] as const; // biome-ignore format: one row is pure, the next touches the world
const PURE = new Set<string>(["core", "analysis", "policy", "tools", "config", "binding", "approvals", "wire"]);
/** Pure layers may use these: digests and path arithmetic look at nothing but their arguments. */
const PURE_BUILTINS = new Set(["node:crypto", "node:path", "node:net"]);
/** A package is named in one file, so that its traps are commented in one place. */
const ONE_FILE_PACKAGES: Record<string, string> = {
  koffi: "native/", ndjson: "cli/", "proper-lockfile": "store/", "shell-quote": "analysis/", pino: "daemon/", re2js: "policy/", json5: "config/", jose: "auth/",
  "@modelcontextprotocol/server": "cli/mcp/", "@modelcontextprotocol/server/stdio": "cli/mcp/",
}; // biome-ignore format: a table
const LINES_MAX = 300;

interface Source {
  readonly path: string;
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function sources(): readonly Source[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => {
      const text = readFileSync(join(SRC, path), "utf8");
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
      return { path, layer: path.split("/")[0] ?? "", text, imports };
    });
}

export function complaints(source: Source): readonly string[] {
  const found: string[] = [];
  const say = (what: string): void => void found.push(`${source.path}: ${what}`);
  const place = LAYERS.findIndex((layer) => layer === source.layer);
  for (const name of source.imports) {
    if (name.startsWith(".")) {
      const target = relative(SRC, join(SRC, source.path, "..", name)).split("/")[0] ?? "";
      const there = LAYERS.findIndex((layer) => layer === target);
      if (place >= 0 && there > place) say(`${source.layer} may not look up at ${target}`);
    } else if (name.startsWith("node:")) {
      if (PURE.has(source.layer) && !PURE_BUILTINS.has(name)) say(`${source.layer} is pure, it may not import ${name}`);
      if (name === "node:child_process" && source.layer !== "exec" && source.layer !== "cli") say("only exec may spawn");
    } else {
      const home = ONE_FILE_PACKAGES[name];
      if (home !== undefined && !source.path.startsWith(home)) say(`${name} belongs to ${home}`);
    }
  }
  const lines = source.text.split("\n").length;
  if (lines > LINES_MAX) say(`${lines} lines; is it still one idea?`);
  if (/^export default/m.test(source.text)) say("no default exports");
  if (/^export \*/m.test(source.text)) say("no barrels");
  if (/(^|\/)(utils?|helpers?|common|types|manager)\.ts$/.test(source.path)) say("a name that says nothing");
  if (/\b(TODO|FIXME|XXX)\b/.test(source.text)) say("something was left open");
  return found;
}

describe("the source tree", () => {
  test("holds to the map", () => {
    expect(sources().flatMap(complaints)).toEqual([]);
  });

  test("a planted breach is named in plain sentences", () => {
    const planted = {
      path: "core/bad.ts",
      layer: "core",
      text: "",
      imports: ["node:child_process", "../daemon/serve.ts", "koffi"],
    };
    expect(complaints(planted)).toEqual([
      "core/bad.ts: core is pure, it may not import node:child_process",
      "core/bad.ts: only exec may spawn",
      "core/bad.ts: core may not look up at daemon",
      "core/bad.ts: koffi belongs to native/",
    ]);
  });
});
