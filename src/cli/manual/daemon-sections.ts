/** What countersign(8) says beyond the command table: files, environment, signals, the child's surroundings. */
import { entry, paragraph, section } from "./roff.ts";

export const DAEMON_SECTIONS: readonly string[] = [
  ...section(
    "DESCRIPTION",
    paragraph(
      "Listens on a Unix socket, judges what gateways ask for by tool policy, exec policy and allowlist, puts to a person what the policy leaves open, and runs exactly what was approved, once, or nothing. One daemon works on one state directory; a second one refuses to start.",
    ),
    ".PP",
    paragraph(
      "Under one uid with the agent it stops accidents and drift. A boundary against a hostile agent it is as a system service under an account of its own: `countersign install --system --run-as USER`.",
    ),
  ),
  ...section(
    "FILES",
    paragraph(
      "All in the state directory, mode 0700: `--state-dir`, else `$COUNTERSIGN_STATE_DIR`, else `$XDG_STATE_HOME/countersign`, else `~/.local/state/countersign`. A file that is a link, belongs to somebody else, or can be written, or for secrets read, by others is refused, and nothing starts; `countersign doctor` says which.",
    ),
    ...entry(
      "\\fIexec\\-approvals.json\\fR",
      "who may run what: security, ask, askFallback and the allowlists per agent; the socket and the gateway's token",
    ),
    ...entry("\\fIcountersign.json5\\fR", "settings; `--config` or `$COUNTERSIGN_CONFIG` name another file"),
    ...entry("\\fIoperator.token\\fR", "the credential of whoever answers"),
    ...entry("\\fIexec\\-approvals.sock\\fR", "the socket; `--socket` or `$COUNTERSIGN_SOCKET` name another place"),
    ...entry("\\fIapprovals/\\fR", "what each question was about, and the text of small scripts, so that changes can be shown"),
    ...entry("\\fIaudit/\\fR", "the log: one JSON line per event, each with the hash of the line before it"),
  ),
  ...section(
    "ENVIRONMENT OF A COMMAND",
    paragraph(
      "Built from nothing: HOME, USER, LOGNAME, SHELL, LANG, LC_*, TZ, TERM, TMPDIR and XDG_RUNTIME_DIR as at the daemon's start, PATH by `tools.exec.path`, what `tools.exec.env.pass` names, the request's overrides, and COUNTERSIGN_RUN, the run's own mark. Overrides that load code or redirect trust are refused. Standard input is empty unless given; there is no terminal; the umask is 022; the limit on file locks, which Linux does not look at, is a number of the run's own; set-id bits raise nobody.",
    ),
  ),
  ...section(
    "SIGNALS",
    ...entry(
      "\\fBSIGTERM\\fR, \\fBSIGINT\\fR",
      "stop taking requests, let runs finish for half a minute, end what is left with everything it started, and leave; at the second signal at once",
    ),
    ...entry("\\fBSIGHUP\\fR", "read settings, trust and the operator's token again"),
  ),
  ...section(
    "SYSTEMD",
    paragraph(
      "`countersign install` writes socket-activated units of Type=notify with a watchdog. The socket belongs to systemd, so a restart of the service refuses nobody. Everything that the unit confines, commands inherit; `strict.conf` goes further and says what it breaks.",
    ),
  ),
];
