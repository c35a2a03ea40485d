/** A judgement for a person, at a glance: the answer first, then every part of the command, what it really is and what covers it. */

import type { CommandRequest } from "../client/requests.ts";
import type { Decision, Finding, Prepared, Results } from "../client/results.ts";
import { shownWord } from "../wire/display.ts";
import { visibleText } from "../wire/visible.ts";
import type { Judgement } from "./judgement.ts";
import type { Paint } from "./paint.ts";
import { labelled, labelledCommand, labelledPath, labelledSentence } from "./render-command.ts";
import { wrapped } from "./width.ts";

export interface Sheet {
  readonly paint: Paint;
  readonly columns: number;
  readonly command: CommandRequest;
}

const WORDS: Readonly<Record<Decision["outcome"], string>> = {
  allow: "would run",
  ask: "would ask somebody first",
  deny: "would be refused",
};

/** The answer, in one or two lines. */
export function verdictLines({ decision }: Judgement, { paint, columns }: Sheet): readonly string[] {
  const ink = { allow: paint.green, ask: paint.yellow, deny: paint.red }[decision.outcome];
  const code = decision.code === null || decision.code === undefined ? "" : `  ${paint.dim(decision.code)}`;
  return [
    ...wrapped(`${paint.bold(ink(decision.outcome.padEnd(5)))}  ${WORDS[decision.outcome]}${code}`, columns, "       "),
    ...wrapped(visibleText(decision.reason), columns - 7).map((line) => `       ${line}`),
  ];
}

/** Where a text could not be read, and what to write instead. */
export function refusalLines({ decision: { refusal } }: Judgement, { paint, columns, command }: Sheet): readonly string[] {
  if (refusal === undefined) return [];
  const text = "command" in command ? command.command : null;
  const shown = text !== null && visibleText(text) === text && text.length + 4 <= columns && refusal.column <= text.length + 1;
  return [
    ...(shown ? [`    ${text}`, `    ${" ".repeat(refusal.column - 1)}${paint.red("^")}`] : []),
    ...labelledSentence("at column", `${refusal.column}: ${refusal.message}`, columns, paint),
    ...labelledSentence("instead", refusal.hint, columns, paint),
  ];
}

/** Every part in turn; `only` leaves out those that are covered. */
export function partLines({ decision, prepared }: Judgement, sheet: Sheet, only: "all" | "uncovered"): readonly string[] {
  const findings = decision.findings ?? [];
  const wanted = findings.filter(({ covered }) => only === "all" || !covered);
  return wanted.flatMap((finding) => {
    const joinedBy = findings[findings.indexOf(finding) - 1]?.operator ?? null;
    // The verdict said it already.
    const why = only === "uncovered" && finding.why === decision.reason ? null : finding.why;
    return findingLines({ ...finding, why }, joinedBy, prepared, sheet);
  });
}

function findingLines(finding: Finding, joinedBy: string | null, prepared: Prepared | null, { paint, columns }: Sheet): readonly string[] {
  const { argv, covered, executable, link, script, wrappers, cwd, by, why, suggested } = finding;
  const head = `${joinedBy === null ? "" : `${joinedBy} `}${argv.map(shownWord).join(" ")}`;
  const mark = covered ? paint.green("covered") : paint.red("not covered");
  return [
    "",
    ...wrapped(`${paint.bold(head)}  ${mark}`, columns - 2, "    ").map((line) => `  ${line}`),
    ...(wrappers.length === 0 ? [] : labelledSentence("behind", wrappers.join(", "), columns, paint)),
    ...(typeof executable === "string"
      ? labelledPath("program", executable, columns, paint)
      : labelled("program", "not found", columns, paint)),
    ...(typeof link === "string" ? labelledPath("called as", link, columns, paint) : []),
    ...(typeof script === "string" ? labelledPath("script", script, columns, paint) : []),
    ...(cwd === prepared?.plan.cwd ? [] : labelledPath("in", cwd, columns, paint)),
    ...(by === null || by === undefined
      ? []
      : labelledSentence("by", `${KINDS[by.kind] ?? by.kind} \`${by.pattern ?? ""}\`, ${by.source ?? ""}`, columns, paint)),
    ...(typeof why === "string" ? labelledSentence("because", why, columns, paint) : []),
    ...(suggested === undefined ? [] : labelledCommand("to list it", addLine(suggested), columns, paint)),
  ];
}

const KINDS: Readonly<Record<string, string>> = {
  allowlist: "allowlist entry",
  "safe-bin": "safe bin",
  skill: "skill",
  full: "everything",
};

/** As it can be typed. Exact digests are long, and `--pin` makes the same one. */
export function addLine({ pattern, argPattern, sha256 }: NonNullable<Finding["suggested"]>): string {
  const words = ["countersign", "allowlist", "add", pattern, ...(argPattern === undefined ? [] : [`--arg-pattern=${argPattern}`])];
  return [...words, ...(sha256 === undefined ? [] : ["--pin"])].map(shownWord).join(" ");
}

/** The rest: which rule of which file answered, what it would be bound to, and what it would not. */
export function groundLines(
  { decision, prepared }: Judgement,
  tool: Results["tools.evaluate"],
  { paint, columns }: Sheet,
): readonly string[] {
  const { layer, rule, source } = decision;
  const answered = [layer, rule].filter((part) => part !== undefined).join(", ");
  return [
    "",
    ...labelledSentence("tool policy", tool.reason, columns, paint),
    ...tool.layers.flatMap((each) => labelledSentence("", `${each.layer}: ${each.verdict}, ${each.rule} (${each.source})`, columns, paint)),
    ...(answered === "" ? [] : labelledSentence("decided by", answered, columns, paint)),
    ...(source === undefined ? [] : labelledSentence("read in", source, columns, paint)),
    ...(prepared === null ? [] : boundLines(prepared, paint, columns)),
  ];
}

function boundLines({ plan, display, enforcement }: Prepared, paint: Paint, columns: number): readonly string[] {
  return [
    ...labelledPath("in", plan.cwd, columns, paint),
    ...plan.files.flatMap(({ path }) => labelledPath("bound file", path, columns, paint)),
    ...(plan.envKeys.length === 0 ? [] : labelledSentence("variables", plan.envKeys.join(", "), columns, paint)),
    ...display.warnings.flatMap((warning) => labelledSentence("warning", warning, columns, paint)),
    ...plan.unbound.flatMap((item) => labelledSentence("not bound", item, columns, paint)),
    ...labelledSentence("enforcement", enforcement, columns, paint),
  ];
}
