import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { alternativesOf, type SettingRow } from "./setting-rows.ts";

/** Which values a key takes, in words: `"ask"` or `"refuse"`, a whole number from 1 to 64, a list of texts. */
export function valuesText({ schema, sameAs }: SettingRow): string {
  return sameAs === undefined ? typeText(schema) : `a section as \`${sameAs}\``;
}

/** What holds where the key is left out; nothing to say about a section, whose keys have their own. */
export function defaultText({ schema, isRequired }: SettingRow): string {
  if (isRequired) return "required";
  const { default: value, properties } = schema;
  if (properties !== undefined) return "";
  return value === undefined ? "unset" : `\`${written(value)}\``;
}

function typeText(schema: JsonObject): string {
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return alternatives.map(typeText).join(", or ");
  const { enum: choices, type, minimum, maximum, items, properties, additionalProperties } = schema;
  if (isList(choices)) return orList(choices.map((choice) => `\`${written(choice)}\``));
  switch (type) {
    case "boolean":
      return "`true` or `false`";
    case "integer":
      return maximum === Number.MAX_SAFE_INTEGER
        ? `a whole number, ${written(minimum)} or more`
        : `a whole number, ${written(minimum)} to ${written(maximum)}`;
    case "string":
      return "a text";
    case "array":
      return isJsonObject(items) ? `a list of ${plural(items)}` : "a list";
    case "object":
      if (isJsonObject(properties) || !isJsonObject(additionalProperties)) return "a section";
      return additionalProperties["type"] === "array" ? "such a list for each name" : `${typeText(additionalProperties)} for each name`;
    default:
      return "anything";
  }
}

/** Texts of a list are said by what each of them is, for nothing else says it. */
function plural(item: JsonObject): string {
  const { type, description } = item;
  if (type === "object") return "sections";
  const what = typeof description === "string" ? description.replace(/\.$/, "") : "";
  return what === "" ? "texts" : `texts, each ${what.charAt(0).toLowerCase()}${what.slice(1)}`;
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

/** As it would stand in the file. */
function written(value: JsonValue | undefined): string {
  return isList(value) ? `[${value.map(written).join(", ")}]` : JSON.stringify(value ?? null);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
