/** Where the shipped units lie: beside package.json, whether this file was compiled to build/ or runs from src/. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TemplateName } from "./installation.ts";
import type { Program } from "./unit-text.ts";

export function readTemplate(name: TemplateName): string {
  return readFileSync(join(packageRoot(), name), "utf8");
}

/** What a service starts: this very installation, by full paths. */
export function installedProgram(): Program {
  return { node: process.execPath, main: join(packageRoot(), "build/bin/main.js") };
}

export function packageRoot(from = import.meta.dirname): string {
  if (existsSync(join(from, "package.json")) && existsSync(join(from, "systemd"))) return from;
  const above = dirname(from);
  if (above === from) throw new Error("the shipped units are missing from this installation");
  return packageRoot(above);
}
