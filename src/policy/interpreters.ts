import { baseName } from "../core/absolute-path.ts";

/**
 * Programs that are told what to do by their arguments, their input or a file: an entry for one of them is an entry for everything. Names
 * compare by their last component, in lower case, without `.exe` and its like and without a version.
 */
const SHELLS = words(
  "sh bash dash zsh ksh ksh93 mksh pdksh oksh ash fish csh tcsh rc es elvish nu xonsh yash posh rbash pwsh powershell cmd busybox toybox",
);

const INTERPRETERS = words(`
  python pypy ipython node nodejs deno bun tsx ts-node perl ruby irb jruby php lua luajit tclsh wish expect rscript r julia groovy scala
  kotlin java jshell runghc runhaskell ghci ocaml elixir iex erl escript swift dart osascript guile racket sbcl clisp scheme gosh chez raku
  awk gawk mawk nawk goawk sed gsed find xargs make gmake m4 bc dc gdb lldb sqlite3 psql mysql octave maxima gnuplot jrunscript coffee
`);

const CARRIERS = words(`
  env nice nohup timeout time stdbuf setsid ionice chrt taskset sudo doas su pkexec runuser script unshare nsenter chroot systemd-run ssh
  parallel watch flock strace ltrace ld.so ld-linux vi vim nvim view ed ex emacs nano less more man tmux screen npx bunx uvx pipx
  countersign
`);

export type Breadth = "shell" | "interpreter" | "carrier";

/** How much an entry for this program would cover, if more than the program itself. */
export function breadthOf(program: string): Breadth | null {
  const name = plainName(program);
  if (SHELLS.has(name)) return "shell";
  if (INTERPRETERS.has(name)) return "interpreter";
  return CARRIERS.has(name) ? "carrier" : null;
}

function plainName(program: string): string {
  const name = baseName(program)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "");
  if (SHELLS.has(name) || INTERPRETERS.has(name) || CARRIERS.has(name)) return name;
  return name.replace(/[-.]?\d+(?:\.\d+)*$/, "");
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
