/** One script per row, each printing what it can see of itself. */
export interface InterpreterCase {
  /** Two processes write at once, so only the lines count and not their order. */
  readonly mingles?: true;
  readonly name: string;
  readonly program: string;
  readonly options?: readonly string[];
  readonly script: string;
  readonly text: string;
  /** What somebody puts in its place; `null` where the script reads itself again by its name. */
  readonly evil: string | null;
  readonly args?: readonly string[];
  /** Beside it, under the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  readonly calledAs?: readonly string[];
  /** Internal frames of the interpreter show in its error output. */
  readonly stderr?: "differs";
  /** It would notice, so it is run by its path, and the level says so. */
  readonly drops?: true;
}

const SH_EVIL = "echo EVIL\n";
const SH_SIBLING = 'echo "sibling of $0"\n';

const POSIX = `#!/bin/sh
echo "$0|$(dirname "$0")|$#|$*|$1"
. "$(dirname "$0")/sibling.sh"
f() { echo "in f: $0 $1"; }
f x
nosuchcommand 2>/dev/null
echo "line $LINENO"
alias hi='echo aliased'
set -- q r
echo "$1 $#"
trap 'echo bye $?' EXIT
exec 3>/dev/null 9<&0
cat <<X
here $0
X
[ "$2" = r ] || return 4
exit 5
`;

const shells: readonly InterpreterCase[] = ["sh", "dash", "bash", "zsh"].flatMap((program) => [
  {
    name: `${program}: $0, its directory, functions and the exit code`,
    program,
    script: `posix-${program}.sh`,
    text: POSIX.replace("/bin/sh", `/usr/bin/env ${program}`),
    evil: SH_EVIL,
    args: ["a", "b c", ""],
    files: { "sibling.sh": SH_SIBLING },
  },
  {
    name: `${program}: options of its own carry over`,
    program,
    options: ["-eu"],
    script: `options-${program}.sh`,
    text: `echo "$-" | tr -d -c eu; echo "$0"; false; echo unreached\n`,
    evil: SH_EVIL,
  },
  {
    name: `${program}: a syntax error in the middle`,
    program,
    script: `broken-${program}.sh`,
    text: "echo before\nif\n",
    evil: SH_EVIL,
    stderr: "differs",
  },
  { name: `${program}: death by signal`, program, script: `dies-${program}.sh`, text: "echo now; kill -KILL $$\n", evil: SH_EVIL },
  {
    name: `${program}: a name with a quote and a blank in it`,
    program,
    script: `it's ${program} odd.sh`,
    text: 'echo "$0"\n',
    evil: SH_EVIL,
  },
  {
    name: `${program}: -x shows the script's own commands`,
    program,
    options: ["-x"],
    script: `trace-${program}.sh`,
    text: "echo traced\n",
    evil: SH_EVIL,
    stderr: "differs",
  },
  {
    name: `${program}: return outside of a function`,
    program,
    script: `return-${program}.sh`,
    text: "echo first\nreturn 7\necho second\n",
    evil: SH_EVIL,
  },
]);

const others: readonly InterpreterCase[] = [
  {
    name: "bash: whether it is sourced, what called what, process substitution and its open descriptors",
    program: "bash",
    script: "aware.sh",
    text: `#!/bin/bash
shopt -s expand_aliases
alias hi='echo aliased'
hi
echo "\${FUNCNAME[*]-none} $BASH_ARGV0 \${BASH_LINENO[*]}"
f() { echo "\${FUNCNAME[*]}"; }
f
(return 0 2>/dev/null) && echo sourced || echo run
cat <(echo substituted)
open=(/proc/$$/fd/*); echo "\${open[@]##*/}"
trap 'echo returned' RETURN
trap 'echo "ERR $LINENO"' ERR
false
exit 9
`,
    evil: SH_EVIL,
  },
  {
    name: "bash: BASH_SOURCE is kept, at the price of the level",
    program: "bash",
    script: "source.sh",
    text: '[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo main\necho "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n',
    evil: null,
    drops: true,
  },
  {
    name: "bash: -n checks the script and runs nothing",
    program: "bash",
    options: ["-n"],
    script: "checked.sh",
    text: "echo a\nif\n",
    evil: SH_EVIL,
    stderr: "differs",
  },
  {
    name: "zsh: ${0:A}, functions with names of their own",
    program: "zsh",
    script: "paths.zsh",
    text: '#!/usr/bin/env zsh\necho "$0|${0:h}|${0:A:t}|$ZSH_EVAL_CONTEXT"\nf() { echo "$0 ${funcstack[*]}" }\nf\necho $LINENO\nexit 3\n',
    evil: SH_EVIL,
  },
  {
    name: "zsh: %x is kept, at the price of the level",
    program: "zsh",
    script: "percent.zsh",
    text: "print -r -- ${(%):-%x}\n",
    evil: null,
    drops: true,
  },
  {
    name: "busybox: the shell it is called as",
    program: "busybox",
    options: ["sh"],
    script: "busy.sh",
    text: 'echo "$0 $(dirname "$0") $1"; exit 4\n',
    args: ["x"],
    evil: null,
    drops: true,
  },
];

const PYTHON = `#!/usr/bin/env python3
"""doc"""
# -*- coding: utf-8 -*-
import sys, os
import sibling
print(sys.argv, sys.path[0], __file__, __name__, __doc__, __spec__, __package__, type(__loader__).__name__, __loader__.path)
print(sorted(globals()), sys.flags.optimize)
import __main__; print(__main__.__dict__ is globals(), __main__.__file__)
class K: pass
import pickle; print(pickle.loads(pickle.dumps(K())).__class__ is K, K.__module__)
import atexit; atexit.register(lambda: print("bye"))
print(os.listdir("/proc/self/fd").__len__())
def f(): raise ValueError("no")
try: f()
except ValueError: {}["k"]
`;

const pythons: readonly InterpreterCase[] = [
  {
    name: "python: argv, path, file, loader, main, traceback",
    program: "python3",
    script: "seen.py",
    text: PYTHON,
    evil: null,
    args: ["a", "b c"],
    files: { "sibling.py": "print('sibling', __file__)\n" },
  },
  {
    name: "python: options of its own carry over",
    program: "python3",
    options: ["-O", "-W", "error", "--"],
    script: "options.py",
    text: "import sys\nprint(sys.flags.optimize, sys.warnoptions, sys.argv)\nsys.exit(7)\n",
    evil: "print('EVIL')\n",
  },
  {
    name: "python: isolated, without its directory",
    program: "python3",
    options: ["-I"],
    script: "isolated.py",
    text: "import sys\nprint(sys.path)\n",
    evil: "print('EVIL')\n",
  },
  {
    name: "python: a syntax error",
    program: "python3",
    script: "broken.py",
    text: "print('x'\n",
    evil: null,
    files: {},
    calledAs: ["./broken.py"],
  },
  {
    name: "python: death by signal",
    program: "python3",
    script: "dies.py",
    text: "import os\nprint(1, flush=True)\nos.kill(os.getpid(), 9)\n",
    evil: "print('EVIL')\n",
  },
  {
    name: "python: a __future__ import comes first",
    program: "python3",
    script: "future.py",
    text: "from __future__ import annotations\ndef f(x: nothing): pass\nprint(f.__annotations__)\n",
    evil: "print('EVIL')\n",
  },
];

const PERL = `#!/usr/bin/perl -w
use strict; use FindBin; use lib "$FindBin::Bin"; use Sibling;
print "$0|", __FILE__, "|", __LINE__, "|$FindBin::Bin|$FindBin::Script|@ARGV|$^W\\n";
print Sibling::hi(), "\\n";
print while <DATA>;
my $u; my $v = "a" . $u;
sub f { die "no" }
eval { f() }; print $@;
f();
__END__
data one
data two
`;

const perls: readonly InterpreterCase[] = [
  {
    name: "perl: $0, __FILE__, FindBin, DATA, options of the #! line, messages",
    program: "perl",
    script: "seen.pl",
    text: PERL,
    evil: "print 'EVIL'\n",
    args: ["a b"],
    files: { "Sibling.pm": 'package Sibling; sub hi { "sibling " . __FILE__ } 1;\n' },
  },
  {
    name: "perl: without a #! line, BEGIN sees the name",
    program: "perl",
    options: ["-w"],
    script: "plain.pl",
    text: 'print "$0 ", __LINE__, " $^W\\n"; BEGIN { print "begin $0\\n" }\nexit 7;\n',
    evil: "print 'EVIL'\n",
  },
  { name: "perl: death by signal", program: "perl", script: "dies.pl", text: "$|=1; print 1; kill 9, $$;\n", evil: "print 'EVIL'\n" },
];

const RUBY = `# frozen_string_literal: true
require_relative "sibling"
puts [$0, __FILE__, __dir__, __method__.inspect, ARGV, $PROGRAM_NAME, "a".frozen?, __LINE__, self.inspect].inspect
puts DATA.read, DATA.class, DATA.path
puts "main" if __FILE__ == $0
at_exit { puts "bye" }
def f = raise("no")
return if ARGV[0] == "return"
exit 7 if ARGV[0] == "exit"
f
__END__
data one
`;

const rubies: readonly InterpreterCase[] = ["throw", "return", "exit"].map((how) => ({
  name: `ruby: $0, __FILE__, __dir__, require_relative, DATA, then ${how}`,
  program: "ruby",
  script: `seen-${how}.rb`,
  text: RUBY,
  evil: "puts 'EVIL'\n",
  args: [how],
  files: { "sibling.rb": 'puts "sibling #{__FILE__}"\n' },
}));

const COMMONJS = `#!/usr/bin/env node
console.log(JSON.stringify([process.argv.slice(1), __filename, __dirname, require.main === module, module.id, module.parent === null, process.execArgv]));
console.log(process.execPath, process.mainModule === module, module.paths[0], Object.keys(require.cache).length, this === module.exports);
console.log(require("./sibling").name, require.resolve("./sibling"), typeof fs, typeof globalThis.require, typeof globalThis.module);
import("./dependency.mjs").then((m) => console.log("imported", m.default));
Promise.resolve().then(() => console.log("promise"));
process.nextTick(() => console.log("tick"));
if (process.argv[2] === "fork") require("child_process").fork(__filename, ["child"]);
if (process.argv[2] === "throw") throw new Error("no");
if (process.argv[2] === "kill") process.kill(process.pid, "SIGKILL");
if (process.argv[2] === "exit") process.exitCode = 7;
`;

const ESM = `import dependency from "./dependency.mjs";
import { readFileSync } from "node:fs";
console.log(import.meta.url, import.meta.filename, process.argv.slice(1), typeof require, typeof module, typeof __filename, process.execArgv);
console.log(dependency, import.meta.resolve("./dependency.mjs"), typeof os, process.mainModule === undefined, typeof readFileSync);
console.log((await import("./sibling.js")).default.name);
if (process.argv[2] === "throw") throw new Error("no");
if (process.argv[2] === "never") await new Promise(() => {});
if (process.argv[2] === "exit") process.exit(7);
`;

const NODE_FILES = {
  "sibling.js": 'module.exports = { name: "sibling " + (require.main && require.main.id) };\n',
  "dependency.mjs": "export default 'dependency ' + import.meta.url;\n",
  "typed/package.json": '{"type":"module"}\n',
  "typed/sibling.js": 'export default { name: "sibling" };\n',
  "typed/dependency.mjs": "export default 'dependency ' + import.meta.url;\n",
};

const nodes: readonly InterpreterCase[] = [
  ...["plain", "fork", "throw", "kill", "exit"].map(
    (how): InterpreterCase => ({
      name: `node CommonJS: itself, its siblings and its globals, then ${how}`,
      program: "node",
      script: `seen-${how}.js`,
      text: COMMONJS,
      evil: how === "fork" ? null : "console.log('EVIL')\n",
      args: [how],
      files: NODE_FILES,
      stderr: "differs",
      ...(how === "fork" ? { mingles: true as const } : {}),
    }),
  ),
  ...["plain", "throw", "never", "exit"].flatMap((how): InterpreterCase[] => [
    {
      name: `node ESM by its ending, then ${how}`,
      program: "node",
      script: `seen-${how}.mjs`,
      text: ESM,
      evil: "console.log('EVIL')\n",
      args: [how],
      files: NODE_FILES,
      stderr: "differs",
    },
    {
      name: `node ESM by its package, then ${how}`,
      program: "node",
      script: `typed/seen-${how}.js`,
      text: ESM,
      evil: "console.log('EVIL')\n",
      args: [how],
      files: NODE_FILES,
      stderr: "differs",
    },
  ]),
  {
    name: "node ESM by its syntax",
    program: "node",
    script: "ambiguous.js",
    text: "import fs from 'node:fs'; console.log(import.meta.url, typeof require)\n",
    evil: "console.log('EVIL')\n",
  },
  {
    name: "node: options of its own carry over",
    program: "node",
    options: ["--max-old-space-size=100", "--no-warnings"],
    script: "options.js",
    text: "console.log(process.execArgv, process.argv.slice(1))\n",
    evil: "console.log('EVIL')\n",
  },
  {
    name: "node: the ending may be left out",
    program: "node",
    script: "ending.js",
    text: "console.log(process.argv.slice(1), __filename)\n",
    evil: "console.log('EVIL')\n",
    calledAs: ["./ending"],
  },
  {
    name: "node: --check checks, at the price of the level",
    program: "node",
    options: ["--check"],
    script: "check.js",
    text: "console.log(1\n",
    evil: null,
    stderr: "differs",
    drops: true,
    calledAs: [],
  },
];

export const CASES: readonly InterpreterCase[] = [...shells, ...others, ...pythons, ...perls, ...rubies, ...nodes];
