/** `countersign install` and `uninstall`: writes or removes the files of a service, says which, and leaves starting it to the person. */

import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { CallError } from "../../client/call-error.ts";
import { homeOf } from "../../client/locate.ts";
import { SOCKET_PATH_BYTES_MAX, SOCKET_PATH_BYTES_MAX_MACOS } from "../../core/limits.ts";
import { loadNative } from "../../native/libc.ts";
import { shownText } from "../../wire/shown-text.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter, wantsColour } from "../paint.ts";
import { tell, warn } from "../tell.ts";
import { contentOf, type Placed, place, remove } from "./files.ts";
import { type Choice, choiceOf, everyFile, installationOf, RUN_AS_DROP_IN, type Surroundings } from "./installation.ts";
import { changeableByOthers } from "./root-only.ts";
import { installedProgram, readTemplate } from "./templates.ts";

export async function install(call: CommandCall): Promise<number> {
  const choice = choiceFrom(call);
  mustBeAllowed(call, choice.kind);
  const around = surroundings(call);
  mustFit(choice, around);
  const installation = installationOf(choice, around);
  const placed = place(installation.files, rootOf(call));
  const foreign = placed.filter(({ outcome }) => outcome === "foreign").map(({ path }) => path);
  if (foreign.length > 0) {
    const named = foreign.map((path) => `\`${shownText(path)}\``).join(" and ");
    throw new CallError("state.conflict", `${named} was not written by \`countersign install\`; move it away first`, { paths: foreign });
  }
  // Fewer flags than last time: what belonged to the others goes, so that what lies there is what was asked for.
  const stale = everyFile(choice.kind, null, around).filter(
    (file) => !file.keepEdits && !installation.files.some(({ path }) => path === file.path),
  );
  const removed = remove(stale, [], rootOf(call)).filter(({ outcome }) => outcome === "removed");
  return report(call, { files: [...placed, ...removed], warnings: warningsOf(choice, around), title: "next", steps: installation.next });
}

export async function uninstall(call: CommandCall): Promise<number> {
  const kind = kindFrom(call);
  mustBeAllowed(call, kind);
  // Settings go again only while they say what was written, and that depends on the account they were written for.
  const runAs = choiceOf(contentOf(join(rootOf(call), RUN_AS_DROP_IN)) ?? "")?.runAs ?? null;
  const around = surroundings(call);
  const installation = installationOf({ kind, runAs, strict: false, stateDir: null }, around);
  const files = remove(everyFile(kind, runAs, around), installation.links, rootOf(call)).filter(({ outcome }) => outcome !== "absent");
  return report(call, { files, warnings: [], title: "to finish", steps: files.length === 0 ? [] : installation.afterRemoval });
}

function choiceFrom(call: CommandCall): Choice {
  const kind = kindFrom(call);
  const runAs = call.text("run-as") ?? null;
  const strict = call.has("strict");
  if (kind !== "system" && (runAs !== null || strict)) throw new UsageError("--run-as and --strict go with --system");
  if (runAs !== null && !/^[a-z_][a-z0-9_.-]{0,31}$/i.test(runAs)) throw new UsageError(`\`${shownText(runAs)}\` is not an account's name`);
  if (runAs === "root") throw new UsageError("commands as root would be above the daemon that checks them; name an ordinary account");
  if (runAs === "countersign") throw new UsageError("commands under the daemon's own account could read its tokens; name another");
  const given = call.text("state-dir");
  if (given !== undefined && kind === "system") throw new UsageError("the system service keeps its state in /var/lib/countersign");
  return { kind, runAs, strict, stateDir: given === undefined ? null : resolve(call.io.cwd, given) };
}

function kindFrom(call: CommandCall): Choice["kind"] {
  const [user, system] = [call.has("user"), call.has("system")];
  if (user === system) throw new UsageError("say which: --user for one user's own service, --system for a service account");
  if (process.platform === "darwin" && system) throw new UsageError("there is no system service for macOS yet; use --user");
  if (system) return "system";
  return process.platform === "darwin" ? "launchd" : "user";
}

function surroundings(call: CommandCall): Surroundings {
  const home = homeOf(call.io.env);
  const xdg = call.io.env["XDG_CONFIG_HOME"];
  return {
    program: installedProgram(),
    native: loadNative() !== null,
    home,
    configHome: xdg?.startsWith("/") === true ? xdg : join(home, ".config"),
    template: readTemplate,
  };
}

function mustBeAllowed(call: CommandCall, kind: Choice["kind"]): void {
  if (kind !== "system" || call.text("root") !== undefined || process.geteuid?.() === 0) return;
  throw new CallError("client.no-access", "a system service is root's to change; run it again with sudo");
}

function mustFit(choice: Choice, { program, home }: Surroundings): void {
  if (!existsSync(program.main)) throw new CallError("config.invalid", `\`${program.main}\` does not exist; build the program first`);
  if (choice.kind === "system") return;
  const socket = join(choice.stateDir ?? join(home, ".local/state/countersign"), "exec-approvals.sock");
  const limit = process.platform === "darwin" ? SOCKET_PATH_BYTES_MAX_MACOS : SOCKET_PATH_BYTES_MAX;
  const bytes = Buffer.byteLength(socket);
  if (bytes <= limit) return;
  const message = `the socket's path would take ${bytes} bytes and unix(7) allows ${limit}; choose a shorter --state-dir`;
  throw new CallError("config.invalid", message, { socket, bytes, limit });
}

function warningsOf(choice: Choice, { program }: Surroundings): readonly string[] {
  const warnings = program.main.includes("/_npx/")
    ? ["this copy lies in npm's cache and will go with it; install it for good, then run `countersign install` again"]
    : [];
  if (choice.kind !== "system") return warnings;
  const weak = [program.node, program.main].map((path) => changeableByOthers(realpathSync(path))).find((found) => found !== null);
  return [
    ...warnings,
    ...(choice.runAs === null ? ["without --run-as commands share the daemon's account and could read its tokens"] : []),
    ...(weak === undefined ? [] : [`${weak}, so it could be replaced; install node and countersign where only root can write`]),
  ];
}

const rootOf = (call: CommandCall): string => resolve(call.io.cwd, call.text("root") ?? "/");

interface Report {
  readonly files: readonly Placed[];
  readonly warnings: readonly string[];
  readonly title: string;
  readonly steps: readonly string[];
}

function report(call: CommandCall, { files, warnings, title, steps }: Report): number {
  const { io } = call;
  if (call.has("json")) {
    io.out(JSON.stringify({ files, warnings, next: steps }));
    return EXIT.ok;
  }
  for (const { path, outcome } of files) tell(io, `${outcome.padEnd(9)}  ${shownText(path, path.length)}`);
  if (files.length === 0) io.out("nothing was installed here");
  for (const warning of warnings) warn(io, `${painter(wantsColour(io.env, io.stderr.isTTY)).yellow("warning:")} ${warning}`);
  if (steps.length > 0) for (const line of ["", painter(io.colour).bold(title), ...steps.map((step) => `  ${step}`)]) io.out(line);
  return EXIT.ok;
}
