import { type Argv, toArgv } from "../core/argv.ts";
import { type OptionSpec, readOptions } from "./options.ts";
import { programName } from "./program-name.ts";

/** `npx tsc` is `tsc`: package managers' ways of starting a program that a project has installed. */
export interface RunnerUse {
  readonly runner: string;
  readonly argv: Argv;
  /** No option of the runner's own but those that only silence it: then what is started is what `node_modules/.bin` holds. */
  readonly plain: boolean;
  /** Asks the registry even where the project has the program. */
  readonly fetches: boolean;
}

interface Runner extends OptionSpec {
  /** Sub-commands that start a program; the empty one is for runners that need none. */
  readonly starts: readonly string[];
  readonly fetches: readonly string[];
}

const NPM: OptionSpec = {
  valued: "pwnC",
  longValued: ["package", "workspace", "prefix", "cache", "registry", "node-options", "userconfig", "loglevel", "script-shell"],
  longFlags: [
    "silent",
    "quiet",
    "yes",
    "no",
    "no-install",
    "workspaces",
    "include-workspace-root",
    "offline",
    "prefer-offline",
    "ignore-existing",
  ],
  flags: "sqyd",
};
const RUNNERS: ReadonlyMap<string, Runner> = new Map<string, Runner>([
  ["npx", { ...NPM, starts: [""], fetches: [] }],
  ["npm", { ...NPM, starts: ["exec", "x"], fetches: [] }],
  [
    "pnpm",
    {
      valued: "CFp",
      flags: "rws",
      longValued: ["reporter", "dir", "filter", "package", "workspace-concurrency", "loglevel"],
      longFlags: ["silent", "quiet", "parallel", "recursive", "workspace-root", "no-bail", "sort", "stream"],
      starts: ["exec", "node"],
      fetches: ["dlx"],
    },
  ],
  ["pnpx", { valued: "p", flags: "s", longValued: ["package"], longFlags: ["silent", "quiet"], starts: [], fetches: [""] }],
  [
    "yarn",
    {
      valued: "p",
      flags: "sq",
      longValued: ["cwd", "package"],
      longFlags: ["silent", "quiet"],
      starts: ["exec", "node"],
      fetches: ["dlx"],
    },
  ],
  ["bun", { flags: "", longFlags: ["bun", "silent", "quiet"], starts: ["x"], fetches: [] }],
  ["bunx", { valued: "p", flags: "", longValued: ["package"], longFlags: ["bun", "silent", "quiet"], starts: [""], fetches: [] }],
]);
const SILENCERS = new Set(["--silent", "--quiet"]);

/** `null` when argv is no runner, or must not be looked through: an unknown option, a text for a shell (`-c`), no program. */
export function packageRunner(argv: Argv): RunnerUse | null {
  const runner = programName(argv[0]);
  const spec = RUNNERS.get(runner);
  if (spec === undefined) return null;
  const before = readOptions(argv, spec);
  if (before.unknown !== null) return null;
  const bare = spec.starts.includes("") || spec.fetches.includes("");
  const subcommand = bare ? "" : (argv[before.operands] ?? "");
  if (!bare && argv[before.operands - 1] === "--") return null;
  const fetches = spec.fetches.includes(subcommand);
  if (!fetches && !spec.starts.includes(subcommand)) return null;
  // `pnpm node` hands node its own options, and takes none.
  const after = bare ? before : readOptions(argv, spec, subcommand === "node" ? argv.length : before.operands + 1);
  if (after.unknown !== null) return null;
  const inner = toArgv(argv.slice(subcommand === "node" ? before.operands : after.operands));
  if (inner === null || inner[0].startsWith("-") || (subcommand === "node" && inner[1] === "--")) return null;
  const silent = [...before.options, ...after.options].every(({ name, value }) => SILENCERS.has(name) && value === null);
  // npm(1) takes options wherever they stand before `--`: in `npm exec tsc --package=x` the option is npm's.
  const plain = silent && (runner !== "npm" || after.ended || !inner.some((word) => word.startsWith("-")));
  return { runner, argv: inner, plain, fetches };
}
