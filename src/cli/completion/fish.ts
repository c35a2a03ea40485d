/** Completion for fish 3 and later. */
import type { Completed, CompletedFlag, Entry, Vocabulary } from "./vocabulary.ts";

export function fishScript({ commands, families, entries }: Vocabulary): string {
  const lines = [
    ...commands.map(({ word, summary }) => `complete -c countersign -n '__countersign_at' -a ${word} -d ${quoted(summary)}`),
    ...families.flatMap(({ name, members }) =>
      members.map(({ word, summary }) => `complete -c countersign -n '__countersign_at ${name}' -a ${word} -d ${quoted(summary)}`),
    ),
    ...entries.flatMap(entryLines),
  ];
  return `# fish completion for countersign; made by \`countersign completion fish\` from its command table.

# The words so far, flags aside, are exactly these.
function __countersign_at
    set -l words (commandline -opc | string match -v -- '-*')
    test "$words[2..-1]" = "$argv"
end

# The words so far begin with these, and no -- has come yet.
function __countersign_in
    set -l all (commandline -opc)
    contains -- -- $all; and return 1
    set -l words (string match -v -- '-*' $all)
    set -l last (math (count $argv) + 1)
    test "$words[2..$last]" = "$argv"
end

function __countersign_waiting
    countersign pending --json 2>/dev/null | string match -ar '"id":"([0-9a-f-]{36})"' -g
end

complete -c countersign -f
${lines.join("\n")}
`;
}

function entryLines({ name, flags, operand }: Entry): readonly string[] {
  const here = `complete -c countersign -n '__countersign_in ${name}'`;
  return [...flags.map((flag) => `${here} ${flagText(flag)}`), ...operandLines(here, operand)];
}

function flagText({ word, short, summary, value }: CompletedFlag): string {
  const letter = short === null ? "" : ` -s ${short}`;
  const needs = value === null ? "" : ` -r ${argumentText(value)}`;
  return `-l ${word}${letter}${needs} -d ${quoted(summary)}`.replaceAll("  ", " ");
}

function operandLines(here: string, operand: Completed): readonly string[] {
  switch (operand.kind) {
    case "nothing":
    case "anything":
      return [];
    case "command":
      return [`complete -c countersign -n 'contains -- -- (commandline -opc)' -a '(__fish_complete_subcommand --commandline)'`];
    default:
      return [`${here} ${argumentText(operand)}`];
  }
}

function argumentText(completed: Completed): string {
  switch (completed.kind) {
    case "choices":
      return `-a ${quoted(completed.choices.join(" "))}`;
    case "file":
      return "-F";
    case "directory":
      return "-a '(__fish_complete_directories)'";
    case "waiting":
      return "-a '(__countersign_waiting)'";
    case "command":
    case "anything":
    case "nothing":
      return "";
  }
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, (char) => `\\${char}`)}'`;
}
