/** What an installation consists of: every file with its text, and what a person does next. Nothing is touched here. */
import { join } from "node:path";
import { shownWord } from "../../wire/display.ts";
import { type Program, plistText, runAsText, serviceText, userStateText } from "./unit-text.ts";

/** What was asked for. It stands in the head of every file that is written, so that doctor can tell what the file should say. */
export interface Choice {
  readonly kind: "user" | "system" | "launchd";
  readonly runAs: string | null;
  readonly strict: boolean;
  /** For one user's service, when it is not the usual place. */
  readonly stateDir: string | null;
}

export interface Surroundings {
  readonly program: Program;
  readonly native: boolean;
  readonly home: string;
  readonly configHome: string;
  readonly template: (name: TemplateName) => string;
}

export type TemplateName =
  | "systemd/countersign.service"
  | "systemd/countersign.socket"
  | "systemd/countersign.sysusers"
  | "systemd/strict.conf"
  | "systemd/run-as.conf"
  | "systemd/user/countersign.service"
  | "systemd/user/countersign.socket"
  | "launchd/countersign.daemon.plist";

export interface InstalledFile {
  readonly path: string;
  readonly text: string;
  /** Settings belong to the person who edits them: written when there are none, removed only while they are as they were written. */
  readonly keepEdits: boolean;
}

export interface Installation {
  readonly files: readonly InstalledFile[];
  /** What `systemctl enable` makes: it must not be left leading nowhere. */
  readonly links: readonly string[];
  readonly next: readonly string[];
  readonly afterRemoval: readonly string[];
}

const SYSTEM_UNITS = "/etc/systemd/system";
const DROP_INS = `${SYSTEM_UNITS}/countersign.service.d`;
const SYSUSERS = "/etc/sysusers.d/countersign.conf";
export const RUN_AS_DROP_IN = `${DROP_INS}/run-as.conf`;
export const SYSTEM_STATE = "/var/lib/countersign";
export const SYSTEM_SETTINGS = "/etc/countersign/countersign.json5";

export function installationOf(choice: Choice, around: Surroundings): Installation {
  switch (choice.kind) {
    case "user":
      return userService(choice, around);
    case "system":
      return systemService(choice, around);
    case "launchd":
      return launchAgent(choice, around);
  }
}

/** Everything that any choice of this kind could have written, so that the flags of back then need not be remembered. */
export function everyFile(kind: Choice["kind"], runAs: string | null, around: Surroundings): readonly InstalledFile[] {
  const choices: readonly Choice[] = [
    { kind, runAs: null, strict: kind === "system", stateDir: null },
    ...(kind === "system" ? [{ kind, runAs: runAs ?? "nobody", strict: true, stateDir: null }] : []),
  ];
  const files = choices.flatMap((choice) => installationOf(choice, around).files);
  return files.filter(({ path }, at) => files.findIndex((other) => other.path === path) === at);
}

function userService(choice: Choice, { program, native, configHome, template }: Surroundings): Installation {
  const units = join(configHome, "systemd/user");
  const service = serviceText(template("systemd/user/countersign.service"), program, { native });
  return {
    files: [
      marked(choice, join(units, "countersign.socket"), userStateText(template("systemd/user/countersign.socket"), choice.stateDir)),
      marked(choice, join(units, "countersign.service"), userStateText(service, choice.stateDir)),
    ],
    links: [join(units, "sockets.target.wants/countersign.socket"), join(units, "default.target.wants/countersign.service")],
    next: [
      "systemctl --user daemon-reload",
      "systemctl --user enable --now countersign.service",
      `countersign status${stateFlag(choice)}`,
      "# only if it should also run while you are logged out",
      "loginctl enable-linger",
    ],
    afterRemoval: ["systemctl --user stop countersign.socket countersign.service", "systemctl --user daemon-reload"],
  };
}

function systemService(choice: Choice, { program, native, template }: Surroundings): Installation {
  const service = serviceText(template("systemd/countersign.service"), program, { native });
  const files = [
    ...(choice.runAs === null ? [marked(choice, SYSUSERS, template("systemd/countersign.sysusers"))] : []),
    marked(choice, `${SYSTEM_UNITS}/countersign.socket`, template("systemd/countersign.socket")),
    marked(choice, `${SYSTEM_UNITS}/countersign.service`, service),
    ...(choice.strict ? [marked(choice, `${DROP_INS}/strict.conf`, template("systemd/strict.conf"))] : []),
    ...(choice.runAs === null
      ? []
      : [marked(choice, RUN_AS_DROP_IN, runAsText(template("systemd/run-as.conf"), program)), settings(choice.runAs)]),
  ];
  return {
    files,
    links: [`${SYSTEM_UNITS}/sockets.target.wants/countersign.socket`, `${SYSTEM_UNITS}/multi-user.target.wants/countersign.service`],
    next: [
      ...(choice.runAs === null ? ["systemd-sysusers"] : []),
      "systemctl daemon-reload",
      "systemctl enable --now countersign.service",
      `countersign status --state-dir ${SYSTEM_STATE}`,
      "# for the agent's account",
      `countersign token issue --state-dir ${SYSTEM_STATE} --role gateway --for-uid UID`,
      "# for whoever answers",
      `countersign token issue --state-dir ${SYSTEM_STATE} --role operator --for-uid UID`,
    ],
    afterRemoval: [
      "systemctl stop countersign.socket countersign.service",
      "systemctl daemon-reload",
      "# only if policy, tokens and log are no longer wanted",
      `rm -r ${SYSTEM_STATE}`,
      ...(choice.runAs === null ? ["userdel countersign"] : []),
    ],
  };
}

function settings(runAs: string): InstalledFile {
  const text = [
    "// Settings of the countersign system service. Written once by `countersign install`; yours to edit.",
    "{",
    "  tools: {",
    "    exec: {",
    "      // Commands run under this account, never under the daemon's own.",
    `      runAs: ${JSON.stringify(runAs)},`,
    "    },",
    "  },",
    "}",
    "",
  ].join("\n");
  return { path: SYSTEM_SETTINGS, text, keepEdits: true };
}

function launchAgent(choice: Choice, { program, home, template }: Surroundings): Installation {
  const path = join(home, "Library/LaunchAgents/countersign.daemon.plist");
  const stateDir = choice.stateDir ?? join(home, ".local/state/countersign");
  const text = plistText(template("launchd/countersign.daemon.plist"), program, stateDir);
  return {
    // An XML declaration must stand first, so the mark goes behind it; and a comment may hold no double dash, so it names no flags.
    files: [{ path, text: text.replace("?>\n", () => `?>\n<!-- ${MARK}\`; this file is replaced. -->\n`), keepEdits: false }],
    links: [],
    next: [`launchctl bootstrap gui/$UID ${shownWord(path)}`, `countersign status${stateFlag(choice)}`],
    afterRemoval: ["launchctl bootout gui/$UID/countersign.daemon"],
  };
}

function stateFlag(choice: Choice): string {
  return choice.stateDir === null ? "" : ` --state-dir ${shownWord(choice.stateDir)}`;
}

const MARK = "Written by `countersign install";

function marked(choice: Choice, path: string, text: string): InstalledFile {
  return { path, text: `# ${markOf(choice)}\n${text}`, keepEdits: false };
}

function markOf({ kind, runAs, strict, stateDir }: Choice): string {
  const flags = [
    kind === "system" ? "--system" : "--user",
    ...(runAs === null ? [] : [`--run-as ${runAs}`]),
    ...(strict ? ["--strict"] : []),
    ...(stateDir === null ? [] : [`--state-dir ${shownWord(stateDir)}`]),
  ];
  return `${MARK} ${flags.join(" ")}\`; edit a drop-in instead, this file is replaced.`;
}

export function isOurs(text: string): boolean {
  return text.slice(0, 1024).includes(MARK);
}

/** Whether this very choice, its state directory among it, is what the file was written for. */
export function isWrittenFor(text: string, choice: Choice): boolean {
  return choice.kind === "launchd" ? isOurs(text) : text.startsWith(`# ${markOf(choice)}\n`);
}

/** How an installed system or user unit came about, as far as it can be told from its first line. */
export function choiceOf(text: string): Pick<Choice, "runAs" | "strict"> | null {
  const line = text.split("\n", 1)[0] ?? "";
  if (!line.includes(MARK)) return null;
  return { runAs: / --run-as ([A-Za-z0-9._-]+)/.exec(line)?.[1] ?? null, strict: line.includes(" --strict") };
}
