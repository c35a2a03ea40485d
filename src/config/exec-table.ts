import { parseAbsolutePath } from "../core/absolute-path.ts";
import { TIMER_MS_MAX } from "../core/limits.ts";
import { ASK_FALLBACKS, ASKS, SECURITIES } from "../policy/document.ts";
import { isForbiddenName } from "../policy/env-overrides.ts";
import { EXEC_SETTINGS_DEFAULT } from "../policy/exec-settings.ts";
import { isNeverSafe } from "../policy/safe-bins.ts";
import { section } from "./section.ts";
import { choice, flag, list, map, text, usual, type ValueOf, whole } from "./shape.ts";

/** `tools.exec` and `agents.<id>.tools.exec`: how commands are judged and run. */

export const directory = text(
  "An absolute path without `.` or `..`.",
  (path) => (parseAbsolutePath(path).ok ? null : "must be an absolute path"),
  {
    pattern: "^/",
  },
);

const variable = text("A variable's name, or the beginning of several and a star: `LC_*`.", (name) =>
  /^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(name) ? null : "must be a variable's name, with at most a star at its end",
);

const overridable = text("A variable's name, or the beginning of several and a star: `LC_*`.", (name) => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(name)) return "must be a variable's name, with at most a star at its end";
  return isForbiddenName(name) ? "can change what runs and is refused always; leave it out" : null;
});

const safeBin = text("A program's name.", (name) => {
  if (name.includes("/")) return "must be a bare name, without a directory";
  return isNeverSafe(name) ? "can run other programs and is never a safe bin; leave it out" : null;
});

const safeBinProfile = section("What a safe bin may be given.", {
  minPositional: whole("At least so many operands.", 0, 64),
  maxPositional: whole("At most so many operands.", 0, 64),
  allowedValueFlags: list("Options that take a value.", text("`--arg` or `-k`.")),
  deniedFlags: list("Options that are never taken.", text("`--file` or `-f`.")),
});

const commandRule = section(
  "Commands that begin with these words, and nothing else.",
  {
    prefix: list('The first words: `["pitlane"]`.', text("One word, as it stands.")),
    variables: list("Variables that may be set in front of it.", variable),
  },
  ["prefix"],
);

export const execSection = section("How commands are judged and run. Where it stands, the profile also has `exec` and `process`.", {
  host: choice("Where the gateway runs commands. Read by the gateway, not by countersign.", ["sandbox", "gateway", "node"]),
  security: choice(
    "What may run at all: nothing, what is listed, or everything; the stricter of this and `exec-approvals.json` holds.",
    SECURITIES,
  ),
  ask: choice("When a person is asked; the more frequent of this and `exec-approvals.json` holds.", ASKS),
  askFallback: choice("What silence means; the stricter of this and `exec-approvals.json` holds.", ASK_FALLBACKS),
  strictInlineEval: usual(
    flag("Code given on the command line (`python -c`) always needs an approval."),
    EXEC_SETTINGS_DEFAULT.strictInlineEval,
  ),
  autoAllowSkills: usual(flag("Programs that a skill registered run without being listed."), EXEC_SETTINGS_DEFAULT.autoAllowSkills),
  unanalysable: usual(
    choice("Redirections and substitutions: deny them, or show them to the operator.", ["deny", "ask"]),
    EXEC_SETTINGS_DEFAULT.unanalysable,
  ),
  unbound: usual(
    choice("Commands that load more than can be bound: ask with a warning, or refuse.", ["ask", "refuse"]),
    EXEC_SETTINGS_DEFAULT.unbound,
  ),
  safeBins: usual(list("Filters that run unlisted while they read standard input alone.", safeBin), EXEC_SETTINGS_DEFAULT.safeBins),
  safeBinTrustedDirs: usual(
    list("Where safe bins must lie; replaces the usual ones.", directory),
    EXEC_SETTINGS_DEFAULT.safeBinTrustedDirs,
  ),
  safeBinProfiles: map("By safe bin: which options it may be given.", safeBinProfile),
  path: list("The child's PATH; the daemon's own, cleaned, when unset.", directory),
  pathPrepend: usual(list("Directories in front of that PATH.", directory), EXEC_SETTINGS_DEFAULT.pathPrepend),
  env: section("The child's environment.", {
    pass: usual(list("Variables of the daemon's that the child gets.", variable), EXEC_SETTINGS_DEFAULT.envPass),
    allowOverride: usual(list("Variables that a request may set without asking.", overridable), EXEC_SETTINGS_DEFAULT.envAllowOverride),
  }),
  minEnforcement: choice("Refuse to run where less than this can be promised; any level will do when unset.", [
    "sealed",
    "pinned",
    "checked",
  ]),
  runAs: text("The user that commands run as; the daemon's own when unset."),
  maxTimeoutMs: usual(whole("No command runs longer, in milliseconds.", 1, TIMER_MS_MAX), EXEC_SETTINGS_DEFAULT.maxTimeoutMs),
  maxOutputBytes: usual(whole("How many bytes are kept of each output.", 0, 64 * 1024 * 1024), EXEC_SETTINGS_DEFAULT.maxOutputBytes),
  commands: list("Which commands may be asked for at all; any when unset.", commandRule),
});
export type ExecSection = ValueOf<typeof execSection>;
