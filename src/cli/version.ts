import { VERSION } from "../core/version.ts";

export function versionLine(): string {
  return `countersign ${VERSION}`;
}
