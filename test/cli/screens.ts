/** Every command that prints for people, with what must come through on any screen; and the others, with the reason why they are not here. */

export interface Printed {
  readonly words: readonly string[];
  /** Ids, paths and names: on a screen perhaps broken into lines, in a pipe in one piece. */
  readonly keeps: readonly string[];
  /** Lines that are for copying, or the text of a file: they are never folded, however narrow the screen. */
  readonly whole?: RegExp;
}

export const AGENT = "family-assistant-with-a-long-name";
export const GATEWAY = "gateway-of-the-office-in-the-basement";
export const SCRIPT = "deploy-the-whole-thing-to-production.sh";

const TO_TYPE = /^ +(?:countersign|systemctl|loginctl|#) /;
const OF_A_FILE = /^(?: +[-+…]| +["{}[\]]|[{}\]]|\/)/;

export function screensOf(at: { readonly home: string; readonly stateDir: string; readonly pending: string }): readonly Printed[] {
  const script = `${at.home}/${SCRIPT}`;
  const of = (words: readonly string[], keeps: readonly string[] = [], whole?: RegExp): Printed =>
    whole === undefined ? { words, keeps } : { words, keeps, whole };
  return [
    of(["help"], ["countersign help COMMAND"]),
    of(["help", "policy"], ["policy settings"]),
    of(["run", "--help"], ["--token-file FILE"], TO_TYPE),
    of(["init"], [at.stateDir], TO_TYPE),
    of(["run", "--", "/bin/ls", "-la", script], ["/usr/bin/ls", "approval.required"]),
    of(["run", "--approval", at.pending, "--", "/bin/true"], [at.pending, "countersign pending"]),
    of(["check", "--", script, "staging"], [script], TO_TYPE),
    of(["explain", "--command", "git status --short | head -n 20"], ["/usr/bin/git", "tools.exec.safeBins"], TO_TYPE),
    of(["pending"], [at.pending, script, "two words"]),
    of(["pending", at.pending], [at.pending, script]),
    of(["approve", "00000000"], ["00000000", "countersign pending"]),
    of(["deny", "00000000"], ["00000000", "approval.unknown"]),
    of(["grants", "list"], [AGENT, script, "/usr/bin/git"]),
    of(["grants", "revoke", "00000000"], ["00000000"]),
    of(["allowlist", "add", "/usr/bin/python3", "--agent", AGENT], [AGENT, "/usr/bin/python3"]),
    of(["allowlist", "list", "--agent", AGENT], [AGENT, script]),
    of(["allowlist", "lint"], [`agents.${AGENT}.allowlist`]),
    of(["allowlist", "remove", "/usr/bin/python3", "--agent", AGENT], [AGENT]),
    of(["status"], [`${at.stateDir}/countersign.json5`]),
    of(["audit", "tail", "--limit", "3"], ["countersign audit tail --cursor"], TO_TYPE),
    of(["audit", "show", at.pending], [SCRIPT]),
    of(["audit", "show", "1"], ["0".repeat(64), "daemon.started"]),
    of(["audit", "verify"], ["intact", "sha256"]),
    of(["policy", "check"], ["no mistakes"]),
    of(["policy", "show", "--agent", AGENT], [`agents.${AGENT}.tools.profile`]),
    of(["policy", "settings"], ["tools.exec.safeBinProfiles.<name>.allowedValueFlags"]),
    of(["policy", "settings", "tools.exec"], ["minEnforcement"], /^ {3,}/),
    of(["tools", "check", "read", "--agent", AGENT, "--path", "/etc/passwd"], [`agents.${AGENT}.tools.profile`]),
    of(["tools", "list", "--denied"], ["tools.deny[1]", "group:web"]),
    of(["token", "rotate", "--role", "nobody"], ["gateway, operator"]),
    of(["token", "issue", "--role", "gateway", "--for-uid", "4242424"], ["4242424"]),
    of(["token", "show-path"], [`${at.stateDir}/exec-approvals.json`], OF_A_FILE),
    of(["trust", "list"], [GATEWAY, AGENT]),
    of(["trust", "add", "ops"], ["--key FILE"]),
    of(["trust", "remove", "nobody-at-all"], ["nobody-at-all"]),
    of(["doctor"], [`${at.stateDir}/exec-approvals.json`, "countersign install --system --run-as USER"]),
    of(["install", "--user", "--root", `${at.home}/root`], [`${at.home}/root`], TO_TYPE),
    of(["uninstall", "--user", "--root", `${at.home}/root`], [`${at.home}/root`], TO_TYPE),
    of(["hook", "install", "claude-code", "--dry-run"], ["--wait-for=120s"], OF_A_FILE),
    of(["hook", "uninstall", "claude-code", "--dry-run"], ["nothing to change"]),
    of(["import", "--openclaw", `${at.stateDir}/exec-approvals.json`, "--dry-run"], [], OF_A_FILE),
    of(["export", "--openclaw", "-"], [AGENT], OF_A_FILE),
    of(["frobnicate"], ["countersign run -- frobnicate"]),
  ];
}

/** Commands that print nothing for people to read, or have tests of their own for it. */
export const NOT_HERE: Readonly<Record<string, string>> = {
  daemon: "it logs JSON",
  watch: "test/cli/watch",
  demo: "test/cli/demo.test.ts",
  "policy schema": "JSON",
  completion: "text for a shell",
  man: "roff",
  "hook claude-code": "JSON for the tool",
  "hook codex": "JSON for the tool",
  "hook gemini": "JSON for the tool",
  mcp: "JSON-RPC",
  schema: "JSON",
};
