/** docs/protocol.md as a live daemon would have it, and as it is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withTable } from "./tables.ts";
import { section, type Transcript } from "./transcripts.ts";
import type { Written } from "./written.ts";

export function protocolDocument(root: string, spoken: readonly Transcript[]): Written {
  const path = join(root, "docs/protocol.md");
  const found = readFileSync(path, "utf8");
  return { path, found, expected: withTable(found, "transcripts", section(spoken)) };
}

/** The fenced blocks of one language, in order. */
export function blocksOf(document: string, language: string): readonly string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, block = ""]) => block);
}
