/** The tables of docs/settings.md: every key of `countersign.json5`, out of the table that reads the file. */
import { type SettingGroup, settingGroups } from "../../src/config/setting-groups.ts";
import { defaultText, valuesText } from "../../src/config/setting-words.ts";

export function settingsSections(): string {
  return settingGroups().map(sectionOf).join("\n\n");
}

function sectionOf({ name, rows, example }: SettingGroup): string {
  const lines = rows.map((row) => `| \`${row.key}\` | ${[valuesText(row), defaultText(row), row.about].map(cell).join(" | ")} |`);
  return [
    name === "others" ? "## The others" : `## \`${name}\``,
    "",
    "```json5",
    example,
    "```",
    "",
    "| key | value | default | meaning |",
    "| --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
