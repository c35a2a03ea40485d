/** Whether what is installed as a service is what this version would install, and whether others could replace what it runs. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { contentOf } from "../service/files.ts";
import { type Choice, choiceOf, installationOf, isWrittenFor, type Surroundings, SYSTEM_STATE } from "../service/installation.ts";
import { changeableByOthers } from "../service/root-only.ts";
import { installedProgram, readTemplate } from "../service/templates.ts";
import type { Finding } from "./finding.ts";
import type { Ground } from "./ground.ts";

/** `root` is `/`, but for tests and for images that are looked at from outside. */
export function checkService(ground: Ground, root: string): readonly Finding[] {
  const around: Surroundings = {
    program: installedProgram(),
    native: ground.native !== null,
    home: ground.home,
    configHome: ground.env["XDG_CONFIG_HOME"]?.startsWith("/") === true ? ground.env["XDG_CONFIG_HOME"] : join(ground.home, ".config"),
    template: readTemplate,
  };
  const usual = join(ground.home, ".local/state/countersign");
  const stateDir = ground.paths.directory === usual ? null : ground.paths.directory;
  const user: Choice = { kind: process.platform === "darwin" ? "launchd" : "user", runAs: null, strict: false, stateDir };
  const system: Choice = { kind: "system", runAs: null, strict: false, stateDir: null };
  return [...drift(user, around, root), ...drift(system, around, root)];
}

function drift(kind: Choice, around: Surroundings, root: string): readonly Finding[] {
  const unit = installationOf(kind, around).files.find(({ path }) => /\.(?:service|plist)$/.test(path));
  const found = unit === undefined ? null : contentOf(join(root, unit.path));
  if (unit === undefined || found === null) return [];
  const about = kind.kind === "system" ? "system service" : "user service";
  const how = choiceOf(found);
  if (kind.kind !== "launchd" && how === null)
    return [
      {
        about,
        level: "note",
        message: `\`${unit.path}\` was not written by \`countersign install\``,
        remedy: "leave it if you wrote it; otherwise move it away and install anew",
        path: unit.path,
      },
    ];
  // A unit for another state directory is another daemon's affair.
  const choice = [
    { ...kind, ...how },
    { ...kind, ...how, stateDir: null },
  ].find((each) => isWrittenFor(found, each));
  if (choice === undefined) return [];
  const differing = installationOf(choice, around)
    .files.filter(({ path, text, keepEdits }) => (keepEdits ? contentOf(join(root, path)) === null : contentOf(join(root, path)) !== text))
    .map(
      ({ path }): Finding => ({
        about,
        level: "weak",
        message: `\`${path}\` is not what this version would install`,
        remedy: `run \`countersign install ${kind.kind === "system" ? "--system" : "--user"}\` again with the same flags, then reload the service manager`,
        path,
      }),
    );
  const good: Finding = { about, level: "good", message: `\`${unit.path}\` is as this version installs it` };
  return [...(differing.length === 0 ? [good] : differing), ...(kind.kind === "system" ? strength(choice, around) : [])];
}

function strength(choice: Choice, { program }: Surroundings): readonly Finding[] {
  const about = "system service";
  const weak = [program.node, program.main].map((path) => changeableByOthers(realpathSync(path))).find((path) => path !== null);
  return [
    ...(weak == null
      ? []
      : [
          {
            about,
            level: "weak" as const,
            message: `${weak}, so what it runs could be replaced`,
            remedy: "install node and countersign where only root can write",
          },
        ]),
    ...(choice.runAs !== null
      ? []
      : [
          {
            about,
            level: "weak" as const,
            message: `commands share the daemon's account and could read its tokens in ${SYSTEM_STATE}`,
            remedy: "install it with --run-as USER",
          },
        ]),
  ];
}
