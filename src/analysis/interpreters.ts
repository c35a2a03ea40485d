import type { OptionSpec } from "./options.ts";
import { rowFor } from "./program-name.ts";

/**
 * Programs that run a program which they are given: as text, as a file, or on standard input. A row says how its options are read and which
 * of them carry what. Sources are the manual pages and `--help` of each; letters are read cluster by cluster, so `python3 -Ic` is `-I -c`.
 */
export interface Interpreter extends OptionSpec {
  readonly names: string;
  /** Options whose value is program text. */
  readonly code?: string;
  /** Options whose value is a file with the program. */
  readonly file?: string;
  /** Options that load code besides, by name or path. */
  readonly loads?: string;
  /** `python -m`: the program is a module, found by name. */
  readonly module?: string;
  /** The first operand is program text, not a file: awk, sed. */
  readonly operandIsCode?: boolean;
  /** A program of its language can name further files to load. Shells can too, but there it is the exception. */
  readonly imports?: boolean;
  /** Without an operand it reads its program from standard input. */
  readonly stdin?: boolean;
  /** Sub-commands after which options and the file come. */
  readonly runs?: readonly string[];
  /** Sub-commands that take program text. */
  readonly evals?: readonly string[];
  /** Endings that a missing file name is tried with, in order. */
  readonly endings?: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ");

// node(1). V8's own options take their value with `=` alone, so what is not listed here is a flag.
const NODE_VALUED = words(
  "eval print require import loader experimental-loader env-file env-file-if-exists conditions input-type title redirect-warnings run " +
    "icu-data-dir diagnostic-dir max-http-header-size openssl-config test-name-pattern test-skip-pattern test-reporter test-shard test-timeout " +
    "test-reporter-destination test-concurrency test-isolation test-global-setup test-coverage-include test-coverage-exclude watch-path " +
    "disable-warning disable-proto dns-result-order unhandled-rejections trace-require-module experimental-config-file localstorage-file " +
    "inspect-port debug-port secure-heap secure-heap-min heapsnapshot-signal heapsnapshot-near-heap-limit report-dir report-directory " +
    "report-filename report-signal trace-event-categories trace-event-file-pattern cpu-prof-dir cpu-prof-name cpu-prof-interval heap-prof-dir " +
    "heap-prof-name heap-prof-interval tls-cipher-list tls-keylog tls-min-v1 use-largepages v8-pool-size security-revert snapshot-blob " +
    "build-snapshot-config experimental-sea-config experimental-default-type experimental-policy policy-integrity allow-fs-read allow-fs-write " +
    "es-module-specifier-resolution experimental-specifier-resolution watch-kill-signal max-old-space-size-percentage",
);
const NODE = {
  valued: "repC",
  longValued: NODE_VALUED,
  code: "-e -p --eval --print",
  loads:
    "-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --experimental-config-file --openssl-config --test " +
    "--snapshot-blob --icu-data-dir --experimental-policy",
  module: "--run",
  imports: true,
  stdin: true,
  endings: [".js", ".json", ".node"],
} as const satisfies Omit<Interpreter, "names">;

const ROWS: readonly Interpreter[] = [
  // python(1)
  {
    names: "python pythonw pypy ipython jython graalpy micropython",
    valued: "cmWXQ",
    longValued: ["check-hash-based-pycs"],
    code: "-c",
    module: "-m",
    imports: true,
    stdin: true,
  },
  { names: "node nodejs iojs", ...NODE },
  { names: "tsx esno esmo babel-node coffee swc-node vite-node jiti", ...NODE, runs: ["watch"] },
  {
    names: "ts-node ts-node-esm ts-node-script ts-node-transpile-only ts-node-dev",
    ...NODE,
    valued: "repCPIO",
    longValued: [...NODE_VALUED, "project", "ignore", "compiler", "compiler-options", "cwd"],
  },
  {
    names: "bun",
    valued: "repc",
    longValued: words(
      "eval print preload require import cwd config env-file port define loader tsconfig-override conditions extension-order",
    ),
    code: "-e -p --eval --print",
    loads: "-r -c --preload --require --import --config --env-file --tsconfig-override",
    runs: ["run", "test"],
    imports: true,
    endings: [".ts", ".tsx", ".js", ".jsx", ".mjs"],
  },
  {
    names: "deno",
    valued: "ecL",
    longValued: words("config import-map lock cert seed ext log-level location preload eval"),
    code: "-e -p --eval",
    loads: "-c --config --import-map --preload --require --env-file --lock",
    runs: ["run", "test", "bench", "serve"],
    evals: ["eval"],
    imports: true,
  },
  // perlrun(1). `-pie` is `-i` with the suffix `e`, and the next word is then the script.
  { names: "perl", valued: "eEMmI", glued: "iFDVxC", code: "-e -E", loads: "-M -m -I -d", imports: true, stdin: true },
  { names: "ruby jruby truffleruby mruby", valued: "erICE", glued: "iFx", code: "-e", loads: "-r -I -S", imports: true, stdin: true },
  {
    names: "php php-cgi php-cli",
    valued: "rfBREFdczSt",
    longValued: words("run file process-begin process-code process-end process-file define php-ini zend-extension server docroot"),
    code: "-r -B -R -E --run --process-begin --process-code --process-end",
    file: "-f -F --file --process-file",
    loads: "-d -z -c -S --define --php-ini --zend-extension --server",
    imports: true,
    stdin: true,
  },
  { names: "lua luajit texlua", valued: "elO", code: "-e", loads: "-l", imports: true, stdin: true },
  { names: "rscript", valued: "e", longValued: ["default-packages"], code: "-e", imports: true },
  { names: "r", valued: "efg", longValued: ["file", "gui"], code: "-e", file: "-f --file", imports: true, stdin: true },
  { names: "osascript", valued: "els", code: "-e", imports: true, stdin: true },
  {
    names: "julia",
    valued: "eELJpPHtC",
    longValued: words("eval print load sysimage project machine-file threads procs"),
    code: "-e -E --eval --print",
    loads: "-L -J --load --sysimage",
    imports: true,
    stdin: true,
  },
  {
    names: "elixir iex",
    valued: "erS",
    longValued: words("eval rpc-eval erl name sname cookie"),
    code: "-e --eval --rpc-eval",
    loads: "-r -S --erl",
    imports: true,
    stdin: true,
  },
  {
    names: "groovy scala kotlin clojure clj bb",
    valued: "eil",
    flags: "",
    longValued: ["eval", "init", "classpath"],
    code: "-e --eval",
    loads: "-i --init --classpath",
    imports: true,
    stdin: true,
  },
  {
    names:
      "tclsh wish escript guile ocaml runghc runhaskell gjs qjs cjs gnuplot octave raku swift jshell racket scheme csi gsi sbcl clisp fennel hy " +
      "janet dart crystal nim zx rust-script erl rhino bc dc m4 maxima expect ipython3 nbb joker planck",
    valued: "e",
    flags: "",
    longValued: ["eval", "execute"],
    longFlags: [],
    code: "-e --eval --execute",
    imports: true,
    stdin: true,
  },
  // gawk(1), mawk(1): `-W` takes the next word too.
  {
    names: "awk gawk mawk nawk original-awk goawk",
    valued: "FvfeilEW",
    glued: "dDopL",
    longValued: words("source file exec include load assign field-separator"),
    longFlags: words(
      "bignum posix traditional lint sandbox re-interval non-decimal-data characters-as-bytes dump-variables pretty-print profile version help",
    ),
    abbreviates: true,
    code: "-e --source",
    file: "-f --file -E --exec",
    loads: "-i --include -l --load",
    operandIsCode: true,
  },
  {
    names: "sed gsed",
    valued: "efl",
    glued: "i",
    longValued: ["expression", "file", "line-length"],
    longFlags: words(
      "quiet silent in-place posix regexp-extended separate sandbox unbuffered null-data zero-terminated debug follow-symlinks help version",
    ),
    abbreviates: true,
    code: "-e --expression",
    file: "-f --file",
    operandIsCode: true,
  },
];

const BY_NAME: ReadonlyMap<string, Interpreter> = new Map(ROWS.flatMap((row) => row.names.split(" ").map((name) => [name, row] as const)));

export function interpreterNamed(name: string): Interpreter | null {
  return rowFor(BY_NAME, name) ?? null;
}
