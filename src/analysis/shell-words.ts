/** Words that mean something to a shell itself: none of them may pass for the name of a program. */

/** POSIX 2.4, bash(1) RESERVED WORDS, zshmisc(1) RESERVED WORDS, ksh93's `namespace`. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  "if then else elif fi do done case esac while until for in { } ! [[ ]] function select time coproc foreach end repeat nocorrect noglob always namespace".split(
    " ",
  ),
);

/** Builtins that are judged and run as the program of the same name, because that does the same (policy page, section 3). */
export const BUILTINS_THAT_ARE_PROGRAMS: ReadonlySet<string> = new Set(["echo", "printf", "kill", "test", "[", "pwd", "true", "false"]);

/**
 * Every other builtin of sh, bash, dash and ksh. They change the shell itself or evaluate their arguments, and no program can stand in.
 * Some systems have a file of the same name (`/usr/bin/read` on macOS), which a shell would not run.
 */
export const BUILTINS: ReadonlySet<string> = new Set(
  [
    ". : alias autoload bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown enable eval exec",
    "exit export fc fg getopts hash help hist history jobs let local logout mapfile popd print pushd read readarray readonly return set shift shopt",
    "source suspend times trap type typeset ulimit umask unalias unset wait whence",
  ]
    .join(" ")
    .split(" "),
);

/** zshbuiltins(1), beyond those above. */
const ZSH_BUILTINS =
  "bindkey bye cap clone compadd comparguments compcall compctl compdescribe compfiles compgroups compquote compset comptags comptry compvalues disable echotc echoti " +
  "emulate float functions getcap getln integer limit log noglob pushln r rehash sched setcap setopt stat ttyctl unfunction unhash unlimit " +
  "unsetopt vared where which zcompile zformat zftp zle zmodload zparseopts zprof zpty zregexparse zselect zsocket zstyle ztcp - private";
/** fish(1), commands and keywords; its own `test`, `echo` and the like do what the programs do. */
const FISH_BUILTINS =
  "_ abbr and argparse begin block breakpoint commandline contains count emit fish_config fish_key_reader funced funcsave functions isatty math " +
  "not or path prevd psub random realpath set_color set status string switch vared";

/** What one shell has beyond `BUILTINS`; text for any other shell is read with the common list. */
export const BUILTINS_OF_SHELL: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["zsh", new Set(ZSH_BUILTINS.split(" "))],
  ["fish", new Set(FISH_BUILTINS.split(" "))],
]);

/** Whether a shell does this itself, in a way that no program of the same name stands in for. */
export function isBuiltin(name: string, shell: string): boolean {
  return !BUILTINS_THAT_ARE_PROGRAMS.has(name) && (BUILTINS.has(name) || (BUILTINS_OF_SHELL.get(shell)?.has(name) ?? false));
}
