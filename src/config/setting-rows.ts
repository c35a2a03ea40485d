import { isJsonObject, type JsonObject } from "../core/json.ts";
import { settingsSection } from "./settings-table.ts";

/** Every key of the settings file with what it means, read off the schema of the table that reads the file. */
export interface SettingRow {
  /** `tools.exec.ask`, `agents.list[].id`; `<name>` stands for a name that the operator chooses. */
  readonly key: string;
  readonly schema: JsonObject;
  readonly about: string;
  /** The file is refused where its section stands without it. */
  readonly isRequired: boolean;
  /** The section that has the same keys and is described there. */
  readonly sameAs?: string;
}

/**
 * A section that is used in several places is described at the one with the shortest path, which comes first here: the walk goes level by
 * level. The order of the answer is that of the file.
 */
export function settingRows(): readonly SettingRow[] {
  const described = new Map<JsonObject, string>();
  const found = new Map<string, SettingRow>();
  let level = placesIn(settingsSection.schema, "");
  while (level.length > 0) {
    const next: Place[] = [];
    for (const place of level) {
      const { key, schema, isRequired } = place;
      const known = [...described].find(([section]) => isPartOf(section, schema));
      // An item of a list is said in the list's own row, unless there is something to say about it.
      if (known !== undefined || !key.endsWith("[]")) {
        found.set(key, { key, schema, about: aboutOf(schema), isRequired, ...(known === undefined ? {} : { sameAs: known[1] }) });
      }
      if (isSectioned(schema) && known === undefined) described.set(schema, key);
      next.push(
        ...placesIn(schema, key).filter((inner) => known === undefined || !membersOf(known[0]).some(([, each]) => each === inner.schema)),
      );
    }
    level = next;
  }
  return inOrder(found);
}

interface Place {
  readonly key: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

function placesIn(schema: JsonObject, key: string): readonly Place[] {
  const { items, additionalProperties: named, required } = schema;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return [
    ...alternativesOf(schema).flatMap((each) => placesIn(each, key)),
    ...(isJsonObject(named) && isSectioned(named) ? [{ key: below(key, "<name>"), schema: named, isRequired: false }] : []),
    ...membersOf(schema).map(([name, each]) => ({ key: below(key, name), schema: each, isRequired: isRequired(name) })),
    ...(isJsonObject(items) && isSectioned(items) ? [{ key: `${key}[]`, schema: items, isRequired: false }] : []),
  ];
}

/** The same section, or one with the same members and more. */
function isPartOf(part: JsonObject, whole: JsonObject): boolean {
  const members = new Map(membersOf(whole));
  return isSectioned(whole) && membersOf(part).every(([name, each]) => members.get(name) === each);
}

function below(key: string, name: string): string {
  return key === "" ? name : `${key}.${name}`;
}

/** Something with keys of its own. */
function isSectioned(schema: JsonObject): boolean {
  return isJsonObject(schema["properties"]);
}

export function alternativesOf(schema: JsonObject): readonly JsonObject[] {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : [];
}

function membersOf({ properties }: JsonObject): readonly (readonly [string, JsonObject])[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, each]) => (isJsonObject(each) ? [[name, each] as const] : []));
}

function aboutOf(schema: JsonObject): string {
  const { description } = schema;
  if (typeof description === "string") return description;
  return alternativesOf(schema).map(aboutOf).join(" Or: ");
}

/** Each key before the keys below it, and otherwise as they were found. */
function inOrder(found: ReadonlyMap<string, SettingRow>): readonly SettingRow[] {
  const rows = [...found.values()];
  const under = (key: string): readonly SettingRow[] =>
    rows.filter((row) => parentOf(row.key, found) === key).flatMap((row) => [row, ...under(row.key)]);
  return under("");
}

/** The nearest key above that has a row: `agents.list` for `agents.list[].id`. */
function parentOf(key: string, found: ReadonlyMap<string, SettingRow>): string {
  for (let above = key; above !== ""; ) {
    above = above.endsWith("[]") ? above.slice(0, -2) : above.slice(0, Math.max(0, above.lastIndexOf(".")));
    if (found.has(above)) return above;
  }
  return "";
}
