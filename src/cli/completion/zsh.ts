/** Completion for zsh, for a directory on $fpath or to be evaluated after compinit. */
import type { Completed, CompletedFlag, Entry, Vocabulary, Word } from "./vocabulary.ts";

export function zshScript({ commands, families, entries }: Vocabulary): string {
  const alone = entries.filter(({ name }) => !name.includes(" "));
  return `#compdef countersign
# zsh completion for countersign; made by \`countersign completion zsh\` from its command table.

(( $+functions[_countersign_waiting] )) || _countersign_waiting() {
  local -a ids
  ids=(\${(f)"$(countersign pending --json 2>/dev/null | tr ',{' '\\n\\n' | sed -n 's/^"id":"\\([0-9a-f-]\\{36\\}\\)"$/\\1/p')"})
  compadd -a ids
}

_countersign() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C '1: :->command' '*:: :->words' && return
  case $state in
    command)
      local -a commands=(
${described(commands)}      )
      _describe command commands ;;
    words)
      case $words[1] in
${alone.map((entry) => `        ${entry.name}) ${argumentsOf(entry, 10)} ;;\n`).join("")}${families.map((family) => familyCase(family, entries)).join("")}      esac ;;
  esac
}

if [[ $funcstack[1] == _countersign ]]; then _countersign "$@"; else compdef _countersign countersign; fi
`;
}

function familyCase({ name, members }: Vocabulary["families"][number], entries: readonly Entry[]): string {
  const own = entries.filter((entry) => entry.name.startsWith(`${name} `));
  return `        ${name})
          _arguments -C '1: :->command' '*:: :->words' && return
          case $state in
            command)
              local -a commands=(
${described(members)}              )
              _describe '${name} command' commands ;;
            words)
              case $words[1] in
${own.map((entry) => `                ${entry.name.slice(name.length + 1)}) ${argumentsOf(entry, 18)} ;;\n`).join("")}              esac ;;
          esac ;;
`;
}

function described(words: readonly Word[]): string {
  return words.map(({ word, summary }) => `        ${quoted(`${word.replaceAll(":", "\\:")}:${summary}`)}\n`).join("");
}

function argumentsOf({ flags, operand }: Entry, indent: number): string {
  const specs = [...flags.flatMap(flagSpecs), ...operandSpecs(operand)];
  return `_arguments -s ${specs.map((spec) => `\\\n${" ".repeat(indent)}${quoted(spec)}`).join(" ")}`;
}

function flagSpecs({ word, short, summary, value, label }: CompletedFlag): readonly string[] {
  const meaning = `[${summary.replace(/[[\]\\]/g, (char) => `\\${char}`)}]`;
  const after = value === null ? "" : `:${label.toLowerCase()}:${actionOf(value)}`;
  return [`--${word}${meaning}${after}`, ...(short === null ? [] : [`-${short}${meaning}${after}`])];
}

function operandSpecs(operand: Completed): readonly string[] {
  if (operand.kind === "nothing") return [];
  return operand.kind === "command" ? ["*:: :_normal"] : [`*: :${actionOf(operand)}`];
}

function actionOf(completed: Completed): string {
  switch (completed.kind) {
    case "choices":
      return `(${completed.choices.join(" ")})`;
    case "file":
      return "_files";
    case "directory":
      return "_files -/";
    case "waiting":
      return "_countersign_waiting";
    case "command":
    case "anything":
    case "nothing":
      return "";
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
