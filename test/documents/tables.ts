/** The tables in README.md and SECURITY.md that say what the code says. `make documents` writes them, and a test finds them out of date. */
import { CODES, type Code } from "../../src/core/codes.ts";

/** Beside each code, what a person is told who meets it. The record is exhaustive, so a new code without a meaning does not compile. */
const MEANINGS: Readonly<Record<Code, string>> = {
  "wire.line-too-long": "a line of more than 1 MiB; the connection is closed",
  "wire.bad-utf8": "the line is not UTF-8",
  "wire.bad-json": "the line is not JSON",
  "wire.not-an-object": "the line is JSON, but not a request",
  "wire.duplicate-key": "one key twice in an object",
  "wire.forbidden-key": "`__proto__`, `constructor` or `prototype` as a key",
  "wire.too-deep": "nested more than 64 deep",
  "wire.unknown-field": "a member that this method does not have",
  "wire.invalid-params": "a member with a value it cannot have",
  "wire.unknown-method": "no such method",
  "auth.required": "say who you are first",
  "auth.failed": "wrong token or proof",
  "auth.forbidden": "this credential may not do that",
  "auth.peer-refused": "this user may not connect",
  "auth.timeout": "15 s passed without authentication",
  "policy.tool-denied": "the agent may not call this tool at all",
  "policy.security-deny": "`security` is `deny`: nothing runs",
  "policy.allowlist-miss": "not on the allowlist, and nobody is asked",
  "policy.analysis-failed": "the text cannot be read with certainty",
  "policy.elevated-refused": "this sender may not leave the sandbox",
  "approval.required": "needs an approval; ask for one",
  "approval.denied": "a person said no; the reason is beside it",
  "approval.expired": "nobody answered in time, or the answer was not used in time",
  "approval.no-route": "nobody is there to answer",
  "approval.unknown": "no such approval, or not yours",
  "approval.ambiguous": "the prefix fits several pending ones",
  "approval.already-resolved": "answered otherwise before; by whom and when is beside it",
  "approval.consumed": "used already; ask again",
  "approval.cancelled": "taken back by whoever asked",
  "approval.id-conflict": "the same request key for another command",
  "approval.token-invalid": "the approval token is not valid for this",
  "binding.argv-differs": "other words than were approved",
  "binding.cwd-differs": "another working directory",
  "binding.env-differs": "another environment",
  "binding.agent-differs": "another agent",
  "binding.session-differs": "another session",
  "binding.executable-differs": "the program was changed or replaced",
  "binding.file-differs": "a script was changed or replaced",
  "binding.nested-differs": "an interpreter or inner program was changed",
  "binding.stdin-differs": "other standard input",
  "binding.differs": "a token for something else",
  "binding.unavailable": "a file that must be bound cannot be opened and hashed",
  "env.forbidden": "a variable that loads code or redirects trust",
  "env.invalid": "not a variable name, or a value with NUL",
  "exec.not-found": "no such program",
  "exec.not-executable": "there, but not executable",
  "exec.cwd-invalid": "not a directory the command could start in",
  "exec.spawn-failed": "the kernel would not start it",
  "exec.enforcement-too-low": "policy demands a level that this machine does not have",
  "exec.changed-after-start": "a file changed under the running command; it was ended",
  "exec.unknown-run": "no such run, or not yours",
  "exec.cancelled": "ended because its caller said so or left",
  "exec.timed-out": "ended because its time was over",
  "display.too-long": "more than 64 KiB to show, which nobody reads",
  "state.corrupt": "a file of the daemon's is broken; `countersign doctor` says where",
  "state.conflict": "somebody else changed the document first",
  "state.io": "the disk failed; path and errno are beside it",
  "config.invalid": "settings, modes or owners are not as they must be",
  overloaded: "a bound was reached; wait",
  "shutting-down": "the daemon is stopping",
  internal: "a fault of ours; nothing was started",
};

export function codesTable(): string {
  const rows = Object.entries(CODES).map(([code, { exit }]) => `| \`${code}\` | ${exit} | ${isCode(code) ? MEANINGS[code] : ""} |`);
  return ["| code | exit | meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

function isCode(text: string): text is Code {
  return Object.hasOwn(CODES, text);
}

export interface Attack {
  readonly id: string;
  readonly title: string;
  readonly source: string;
}

const ADVISORY = /GHSA-\w{4}-\w{4}-\w{4}|CVE-\d{4}-\d+/g;
const TITLES_SHOWN_MAX = 3;

/** One row per published advisory: newest CVE first, then the GitHub advisories by name. */
export function ledgerTable(attacks: readonly Attack[]): string {
  const byAdvisory = new Map<string, Attack[]>();
  for (const attack of attacks) {
    for (const advisory of new Set(attack.source.match(ADVISORY) ?? [])) {
      byAdvisory.set(advisory, [...(byAdvisory.get(advisory) ?? []), attack]);
    }
  }
  const rows = [...byAdvisory.entries()]
    .sort(([one], [other]) => order(one, other))
    .map(([advisory, played]) => `| ${advisory} | ${whatOf(played)} | ${played.map(({ id }) => id).join(" ")} |`);
  return ["| advisory | what it was | tests |", "| --- | --- | --- |", ...rows].join("\n");
}

function order(one: string, other: string): number {
  const [oneIsCve, otherIsCve] = [one.startsWith("CVE"), other.startsWith("CVE")];
  if (oneIsCve !== otherIsCve) return oneIsCve ? -1 : 1;
  if (one === other) return 0;
  const ascending = one < other ? -1 : 1;
  return oneIsCve ? -ascending : ascending;
}

function whatOf(played: readonly Attack[]): string {
  const titles = [...new Set(played.map(({ title }) => title))];
  const shown = titles.slice(0, TITLES_SHOWN_MAX).map((title) => title.replaceAll("|", "\\|").replaceAll("`", "'"));
  return titles.length > TITLES_SHOWN_MAX ? `${shown.join("; ")}; and ${titles.length - TITLES_SHOWN_MAX} more` : shown.join("; ");
}

/** Puts `table` between the two comments that name it, and leaves everything else alone. */
export function withTable(document: string, name: string, table: string): string {
  const begin = document.search(new RegExp(`^<!-- ${name}: .* -->$`, "m"));
  const end = document.indexOf(`<!-- end of ${name} -->`);
  if (begin < 0 || end < begin) throw new Error(`there is no place for the table of ${name}`);
  const firstLine = document.slice(begin, document.indexOf("\n", begin));
  return `${document.slice(0, begin)}${firstLine}\n\n${table}\n\n${document.slice(end)}`;
}
