import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../core/json.ts";

/** From package.json, which lies above `src/` and above `build/src/` alike in what is published and in a checkout. */
export function version(): string {
  for (const above of ["../..", "../../.."]) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, above, "package.json"), "utf8"));
      if (isJsonObject(manifest) && manifest["name"] === "countersign" && typeof manifest["version"] === "string")
        return manifest["version"];
    } catch {
      // Not there; the next one up may be.
    }
  }
  return "unknown";
}

export function versionLine(): string {
  return `countersign ${version()}`;
}
