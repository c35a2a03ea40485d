import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import type { Area, Row } from "./area.ts";

/** Plays a folder of vectors and says how each area fared. A file without an area is a failure: nothing is passed over in silence. */
export interface Score {
  readonly area: string;
  readonly passed: number;
  readonly complaints: readonly string[];
  readonly disputed: number;
}

export async function playFolder(folder: string, disputed: ReadonlySet<string>): Promise<readonly Score[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "disputed.json");
  const scores: Score[] = [];
  for (const name of files.sort()) scores.push(await playFile(join(folder, name), name.slice(0, -".json".length), disputed));
  return scores;
}

export function readDisputed(folder: string): ReadonlySet<string> {
  try {
    const list: unknown = JSON.parse(readFileSync(join(folder, "disputed.json"), "utf8"));
    if (!Array.isArray(list)) return new Set();
    return new Set(list.flatMap((entry: unknown) => (isJsonObject(entry) && typeof entry["id"] === "string" ? [entry["id"]] : [])));
  } catch {
    return new Set();
  }
}

async function playFile(path: string, name: string, disputed: ReadonlySet<string>): Promise<Score> {
  const file: unknown = JSON.parse(readFileSync(path, "utf8"));
  const area = await findArea(name);
  if (area === null || !isJsonObject(file)) return { area: name, passed: 0, complaints: [`${name}: no area plays this file`], disputed: 0 };
  const rows = area.rows === undefined ? casesOf(file) : area.rows(file);
  const complaints: string[] = [];
  for (const row of rows.filter(({ id }) => !disputed.has(id))) {
    const complaint = await complaintAbout(area, row);
    if (complaint !== null) complaints.push(complaint);
  }
  const left = rows.filter((row) => disputed.has(row.id)).length;
  return { area: name, passed: rows.length - complaints.length - left, complaints, disputed: left };
}

function casesOf(file: JsonObject): readonly Row[] {
  return objectsIn(file["cases"]).map((whole, index) => ({
    id: typeof whole["id"] === "string" ? whole["id"] : `case-${index}`,
    given: isJsonObject(whole["given"]) ? whole["given"] : {},
    expect: isJsonObject(whole["expect"]) ? whole["expect"] : {},
    whole,
  }));
}

async function complaintAbout(area: Area, row: Row): Promise<string | null> {
  const complaint = await attempt(area, row);
  if (complaint === null) return null;
  for (const expect of objectsIn(row.whole["alt"])) if ((await attempt(area, { ...row, expect })) === null) return null;
  return `${row.id}: ${complaint}`;
}

async function attempt(area: Area, row: Row): Promise<string | null> {
  try {
    return await area.check(row);
  } catch (error) {
    return `threw ${String(error)}`;
  }
}

async function findArea(name: string): Promise<Area | null> {
  try {
    const module: unknown = await import(`./areas/${name}.ts`);
    return hasArea(module) ? module.area : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && /Cannot find module|ERR_MODULE_NOT_FOUND|Unknown variable dynamic import/.test(error.message);
}

function hasArea(module: unknown): module is { readonly area: Area } {
  return typeof module === "object" && module !== null && "area" in module;
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
