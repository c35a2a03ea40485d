/** Fills the shipped units in. They are valid as they stand, for packagers; an installation names its own program and state directory. */

export interface Program {
  /** The node binary and the program it runs, absolute: a service manager's PATH is not the one of whoever installed it. */
  readonly node: string;
  readonly main: string;
}

const SHIPPED_COMMAND = "/usr/bin/env countersign";
const SHIPPED_USER_STATE = "%h/.local/state/countersign";

export function serviceText(template: string, program: Program, options: { readonly native: boolean }): string {
  const command = `${systemdWord(program.node)} ${systemdWord(program.main)}`;
  const text = replacedOnce(template, SHIPPED_COMMAND, command);
  // Without native code the state is told by systemd-notify(1), a child, which systemd hears only when every process may speak.
  return options.native ? text : replacedOnce(text, "NotifyAccess=main", "NotifyAccess=all");
}

export function runAsText(template: string, program: Program): string {
  return replacedOnce(template, SHIPPED_COMMAND, `${systemdWord(program.node)} ${systemdWord(program.main)}`);
}

/** `stateDir` is `null` for the place that the shipped unit names already. */
export function userStateText(text: string, stateDir: string | null): string {
  if (stateDir === null) return text;
  // ListenStream= takes the rest of its line as it is, ExecStart= takes words.
  return text
    .replaceAll(`ListenStream=${SHIPPED_USER_STATE}`, () => `ListenStream=${specifierFree(stateDir)}`)
    .replaceAll(`--state-dir ${SHIPPED_USER_STATE}`, () => `--state-dir ${systemdWord(stateDir)}`);
}

export function plistText(template: string, program: Program, stateDir: string): string {
  return template
    .replaceAll("@NODE@", () => xml(program.node))
    .replaceAll("@MAIN@", () => xml(program.main))
    .replaceAll("@STATE@", () => xml(stateDir));
}

/** One word of an ExecStart= line, systemd.service(5), "COMMAND LINES". */
export function systemdWord(word: string): string {
  const escaped = specifierFree(word).replaceAll("$", () => "$$");
  return /^[A-Za-z0-9_@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, (char) => `\\${char}`)}"`;
}

function specifierFree(text: string): string {
  return text.replaceAll("%", "%%");
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function replacedOnce(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`the shipped unit does not hold \`${from}\` once`);
  return text.replace(from, () => to);
}
