/** Completion for bash 4 and later, without bash-completion. */
import type { Completed, CompletedFlag, Entry, Vocabulary } from "./vocabulary.ts";

export function bashScript({ commands, families, entries }: Vocabulary): string {
  return `# bash completion for countersign; made by \`countersign completion bash\` from its command table.

# Ids of what waits for an answer.
_countersign_waiting() {
  countersign pending --json 2>/dev/null | tr ',{' '\\n\\n' | sed -n 's/^"id":"\\([0-9a-f-]\\{36\\}\\)"$/\\1/p'
}

_countersign() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $command:$word in
      ${carrying(entries)})
        # What follows is a command line of its own.
        if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); else mapfile -t COMPREPLY < <(compgen -A command -A file -- "$cur"); fi
        return ;;
      ${withValues(entries)}) ((i++)) ;;
      *:-*) ;;
      :*) command=$word ;;
      ${families.map(({ name }) => `${name}:*`).join("|")}) command="$command $word" ;;
    esac
  done
  case $command/$prev in
${[...new Set(entries.flatMap((entry) => entry.flags.map((flag) => valueCase(entry, flag))))].join("")}  esac
  if [[ $cur == -* ]]; then
    case $command in
${entries.map(({ name, flags }) => `      '${name}') COMPREPLY=($(compgen -W '${flags.map(({ word }) => `--${word}`).join(" ")}' -- "$cur")) ;;\n`).join("")}    esac
    return
  fi
  case $command in
    '') COMPREPLY=($(compgen -W '${commands.map(({ word }) => word).join(" ")}' -- "$cur")) ;;
    help) COMPREPLY=($(compgen -W '${commands.map(({ word }) => word).join(" ")}' -- "$cur")) ;;
${families.map(({ name, members }) => `    ${name}) COMPREPLY=($(compgen -W '${members.map(({ word }) => word).join(" ")}' -- "$cur")) ;;\n`).join("")}${entries.map(operandCase).join("")}  esac
}

complete -F _countersign countersign
`;
}

function carrying(entries: readonly Entry[]): string {
  const names = entries.filter(({ operand }) => operand.kind === "command").map(({ name }) => `'${name}:--'`);
  return names.length === 0 ? "'-'" : names.join("|");
}

/** The word after one of these is its value and no part of a command's name. */
function withValues(entries: readonly Entry[]): string {
  const words = new Set(entries.flatMap(({ flags }) => flags.filter(({ value }) => value !== null).map(({ word }) => `*:--${word}`)));
  return [...words].join("|");
}

function valueCase({ name }: Entry, { word, value, short, shared }: CompletedFlag): string {
  if (value === null) return "";
  const command = shared ? "*" : `'${name}'`;
  const patterns = [`${command}/--${word}`, ...(short === null ? [] : [`${command}/-${short}`])];
  return `    ${patterns.join("|")}) ${replyOf(value)}; return ;;\n`;
}

function operandCase({ name, operand }: Entry): string {
  return operand.kind === "nothing" || operand.kind === "anything" ? "" : `    '${name}') ${replyOf(operand)} ;;\n`;
}

function replyOf(completed: Completed): string {
  switch (completed.kind) {
    case "choices":
      return `COMPREPLY=($(compgen -W '${completed.choices.join(" ")}' -- "$cur"))`;
    case "file":
      return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur")';
    case "directory":
      return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur")';
    case "waiting":
      return 'COMPREPLY=($(compgen -W "$(_countersign_waiting)" -- "$cur"))';
    case "command":
      return 'COMPREPLY=($(compgen -c -- "$cur"))';
    case "anything":
    case "nothing":
      return "COMPREPLY=()";
  }
}
