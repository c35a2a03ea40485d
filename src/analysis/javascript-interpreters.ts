import { type Interpreter, words } from "./interpreter.ts";

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

export const JAVASCRIPT_INTERPRETERS: readonly Interpreter[] = [
  { names: "node nodejs iojs", ...NODE, opaque: ["inspect", "debug"], asks: "--version -v --help -h" },
  { names: "tsx esno esmo babel-node coffee swc-node vite-node jiti", ...NODE, runs: ["watch"] },
  {
    names: "ts-node ts-node-esm ts-node-script ts-node-transpile-only ts-node-dev",
    ...NODE,
    valued: "repCPIO",
    longValued: [...NODE_VALUED, "project", "ignore", "compiler", "compiler-options", "cwd", "cwd-mode", "dir"],
    elsewhere: "--cwd --dir",
  },
  {
    names: "bun",
    valued: "repc",
    longValued: words(
      "eval print preload require import cwd config env-file port define loader tsconfig-override conditions extension-order",
    ),
    code: "-e -p --eval --print",
    loads: "-r -c --preload --require --import --config --env-file --tsconfig-override",
    elsewhere: "--cwd",
    runs: ["run", "test"],
    subcommands: true,
    asks: "--version -v --help -h",
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
    subcommands: true,
    asks: "--version -V --help -h",
    evals: ["eval"],
    imports: true,
  },
];
