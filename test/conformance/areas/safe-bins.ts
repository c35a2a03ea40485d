import { posix } from "node:path";
import { toArgv } from "../../../src/core/argv.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { EXEC_SETTINGS_DEFAULT, type SafeBinProfile } from "../../../src/policy/exec-settings.ts";
import { objectionToSafeBin } from "../../../src/policy/safe-bins.ts";
import { path } from "../../policy/table-machine.ts";
import type { Area } from "../area.ts";
import { optionalTexts, textOf, textsOf } from "../reading.ts";

export const area: Area = {
  name: "safe-bins",
  check({ given, expect }) {
    const argv = toArgv(textsOf(given["argv"]));
    if (argv === null) return "an empty argv";
    const settings = {
      safeBins: optionalTexts(given["safeBins"]) ?? EXEC_SETTINGS_DEFAULT.safeBins,
      safeBinProfiles: isJsonObject(given["profiles"]) ? profilesOf(given["profiles"]) : {},
    };
    const trusted = new Set(optionalTexts(given["trustedDirs"]) ?? EXEC_SETTINGS_DEFAULT.safeBinTrustedDirs);
    const resolved = given["resolvedPath"] === undefined ? `/usr/bin/${argv[0]}` : given["resolvedPath"];
    // A machine answers with POSIX paths or not at all.
    const isFound = resolved !== null && (given["platform"] ?? "posix") === "posix";
    const at = isFound ? posix.normalize(textOf(resolved)) : null;
    const program =
      at === null ? null : { word: argv[0], linkPath: path(at), realPath: path(textOf(given["realPath"] ?? at)), linksAreRoots: true };
    const objection = objectionToSafeBin(argv, program, settings, trusted);
    return (objection === null) === expect["allowed"] ? null : `came out as ${objection ?? "allowed"}`;
  },
};

function profilesOf(profiles: JsonObject): Readonly<Record<string, SafeBinProfile>> {
  return Object.fromEntries(Object.entries(profiles).map(([name, profile]) => [name, isJsonObject(profile) ? profileOf(profile) : {}]));
}

function profileOf(profile: JsonObject): SafeBinProfile {
  const count = (value: JsonValue | undefined) => (typeof value === "number" ? value : 0);
  return {
    ...(profile["minPositional"] === undefined ? {} : { minPositional: count(profile["minPositional"]) }),
    ...(profile["maxPositional"] === undefined ? {} : { maxPositional: count(profile["maxPositional"]) }),
    allowedValueFlags: optionalTexts(profile["allowedValueFlags"]) ?? [],
    deniedFlags: optionalTexts(profile["deniedFlags"]) ?? [],
  };
}
