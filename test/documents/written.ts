/** README.md, SECURITY.md and docs/settings.md as they should be, and as they are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { settingsSections } from "./settings.ts";
import { type Attack, codesTable, ledgerTable, withTable } from "./tables.ts";

export interface Written {
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

export function documents(root: string): readonly Written[] {
  const attacks: readonly Attack[] = JSON.parse(readFileSync(join(root, "fixtures/attacks/attacks.json"), "utf8"));
  const of = (name: string, section: string, table: string): Written => {
    const path = join(root, name);
    const found = readFileSync(path, "utf8");
    return { path, found, expected: withTable(found, section, table) };
  };
  return [
    of("README.md", "codes", codesTable()),
    of("SECURITY.md", "ledger", ledgerTable(attacks)),
    of("docs/settings.md", "settings", settingsSections()),
  ];
}
