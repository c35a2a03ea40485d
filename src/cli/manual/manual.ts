/** The manual pages: the commands, section 1, out of the command table; the daemon and its files, section 8. */
import { CODES } from "../../core/codes.ts";
import { VERSION } from "../../core/version.ts";
import type { Command, Flag } from "../command.ts";
import { GROUPS } from "../commands.ts";
import { SHARED_FLAGS } from "../flags.ts";
import { usageLine } from "../help.ts";
import { DAEMON_SECTIONS } from "./daemon-sections.ts";
import { bold, entry, escaped, example, paragraph, section } from "./roff.ts";

/** When the form of the pages last changed; what they say is as old as the program. */
const REVISED = "2026-11-18";
const SUMMARY = "runs exactly what was approved, once, or nothing";

export function commandsPage(): string {
  return page(1, [
    ...section("NAME", `countersign \\- ${SUMMARY}`),
    ...section("SYNOPSIS", `.B countersign`, ".I COMMAND", "[flags]"),
    ...section(
      "DESCRIPTION",
      paragraph(
        "When an AI agent wants to run a command on this machine, the daemon of `countersign` decides by policy, or asks a person, and then runs exactly what was approved, once, or nothing. These are the commands around it; the daemon and its files are in countersign(8).",
      ),
    ),
    ...GROUPS.flatMap(({ title, commands }) => [`.SH ${title.toUpperCase()}`, ...commands.flatMap(commandLines)]),
    ...section("SHARED FLAGS", paragraph("Every command takes these, before or after its name."), ...flagLines(SHARED_FLAGS)),
    ...exitCodes(),
    ...section("SEE ALSO", "countersign(8)"),
  ]);
}

export function daemonPage(): string {
  return page(8, [
    ...section("NAME", `countersign \\- the daemon that ${SUMMARY}`),
    ...section("SYNOPSIS", `.B countersign daemon`, "[flags]"),
    ...DAEMON_SECTIONS,
    ...exitCodes(),
    ...section("SEE ALSO", "countersign(1), systemd.service(5), setpriv(1), unix(7)"),
  ]);
}

function page(number: 1 | 8, lines: readonly string[]): string {
  return [
    '.\\" Made from the command table by `make manual`.',
    `.TH COUNTERSIGN ${number} ${REVISED} "countersign ${VERSION}" "countersign"`,
    ".nh",
    ".ad l",
    ...lines,
    "",
  ].join("\n");
}

function commandLines(command: Command): readonly string[] {
  const { name, summary, details = [], operands = [], flags = {}, examples = [] } = command;
  return [
    `.SS countersign ${escaped(name)}`,
    paragraph(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ".PP",
    bold(usageLine(command)),
    ...details.flatMap((text) => [".PP", paragraph(text)]),
    ...operands.flatMap((operand) => entry(`\\fI${escaped(operand.name)}\\fR`, operand.summary)),
    ...flagLines(flags),
    ...examples.flatMap(({ line, does }) => example(line, does)),
  ];
}

function flagLines(flags: Readonly<Record<string, Flag>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    const short = flag.short === undefined ? "" : `\\fB\\-${flag.short}\\fR, `;
    const value = flag.choices?.join("|") ?? flag.value;
    const term = `${short}\\fB\\-\\-${escaped(name)}\\fR${value === undefined ? "" : ` \\fI${escaped(value)}\\fR`}`;
    return entry(term, flag.repeated === true ? `${flag.summary} (may be repeated)` : flag.summary);
  });
}

function exitCodes(): readonly string[] {
  const rows: readonly (readonly [string, string])[] = [
    ["0", "well"],
    ["1", "a general failure"],
    ["2", "denied"],
    ["3", "expired or timed out"],
    ["4", "conflict: already decided otherwise, or the state changed"],
    ["5", "not what was approved"],
    ["64", "the words were wrong"],
    ["69", "the daemon cannot be reached"],
    ["75", "busy; try again"],
    ["77", "not permitted"],
    ["78", "the configuration is wrong"],
  ];
  const codes = Object.keys(CODES).length;
  return section(
    "EXIT STATUS",
    ...rows.flatMap(([code, meaning]) => entry(`\\fB${code}\\fR`, meaning)),
    ".PP",
    paragraph(
      `\`countersign run\` ends with the command's own exit code, 128+n when it died of signal n, 126 when it cannot be executed and 127 when it is not found. Each refusal also carries one of ${codes} stable codes; they are listed in the README.`,
    ),
  );
}
