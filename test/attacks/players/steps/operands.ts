/** A case names files without giving them: what is approved is harmless, and what is run afterwards under the same name is not. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ground } from "../../ground.ts";

export function prepareOperands(argv: readonly string[], ground: Ground, version: "harmless" | "hostile"): void {
  const [command = ""] = argv;
  if (/(^|\/)g?make$/.test(command)) writeMakefile(argv, ground);
  for (const word of argv) {
    const path = word.startsWith("./") ? join(ground.tmp, word.slice(2)) : word;
    if (!path.startsWith(`${ground.tmp}/`)) continue;
    if (version === "harmless" && existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contentOf(path, ground, version), { mode: 0o755 });
  }
}

function contentOf(path: string, ground: Ground, version: "harmless" | "hostile"): string {
  const hostile = version === "hostile";
  if (path.endsWith(".py")) return hostile ? `open(${JSON.stringify(ground.mark)}, "w")\n` : "pass\n";
  if (/\.[cm]?js$/.test(path)) return hostile ? `require("fs").writeFileSync(${JSON.stringify(ground.mark)}, "")\n` : "0\n";
  if (path.endsWith(".rb")) return hostile ? `File.write(${JSON.stringify(ground.mark)}, "")\n` : "0\n";
  if (path.endsWith(".pl")) return hostile ? `open(F, ">", ${JSON.stringify(ground.mark)});\n` : "1;\n";
  return `#!/bin/sh\n${hostile ? `touch '${ground.mark}'` : ":"}\n`;
}

function writeMakefile(argv: readonly string[], ground: Ground): void {
  const makefile = join(ground.tmp, "Makefile");
  const targets = argv.slice(1).filter((word) => /^[\w.-]+$/.test(word) && !word.startsWith("-"));
  if (!existsSync(makefile)) writeFileSync(makefile, targets.map((target) => `${target}:\n\t@true\n`).join(""));
}
