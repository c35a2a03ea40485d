import { type AbsolutePath, parentOf, resolvePath } from "../core/absolute-path.ts";
import type { Argv } from "../core/argv.ts";
import { followPath } from "./follow-path.ts";
import { MAKE_OPTIONS } from "./inline-eval.ts";
import type { Machine } from "./machine.ts";
import { readAllOptions, readOptions } from "./options.ts";
import { programName } from "./program-name.ts";
import { quoted } from "./quoted.ts";

/** Inputs that a command reads without naming them: the nearest `package.json`, the makefile. */
export interface ConventionalInputs {
  readonly files: readonly { readonly index: number; readonly path: string }[];
  readonly unbound: readonly string[];
}

const NONE: ConventionalInputs = { files: [], unbound: [] };

export function conventionalInputs(argv: Argv, cwd: AbsolutePath, machine: Machine): ConventionalInputs {
  const name = programName(argv[0]);
  if (["make", "gmake", "bmake", "pmake", "remake"].includes(name)) return makefile(argv, name, cwd, machine);
  if (["npm", "pnpm", "yarn", "yarnpkg", "bun"].includes(name)) return packageScript(argv, name, cwd, machine);
  const what = PROJECT_FILES.get(name);
  return what === undefined ? NONE : { files: [], unbound: [`${what} that ${quoted(name)} runs`] };
}

/** make(1): looked for in this order, in the directory of the last `-C`. */
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

function makefile(argv: Argv, name: string, cwd: AbsolutePath, machine: Machine): ConventionalInputs {
  const { options } = readAllOptions(argv, MAKE_OPTIONS);
  const directory = options
    .filter((option) => option.name === "-C" || option.name === "--directory")
    .reduce((from, option) => followPath(option.value ?? ".", from, machine) ?? from, cwd);
  const unbound = [`the recipes of ${quoted(name)} and the makefiles they include`];
  const named = options.filter((option) => ["-f", "--file", "--makefile"].includes(option.name));
  if (named.length > 0) {
    return {
      files: named.map(({ value, at }) => ({
        index: at,
        path: (value ?? "").startsWith("/") ? (value ?? "") : `${directory}/${value ?? ""}`,
      })),
      unbound,
    };
  }
  const found = MAKEFILES.map((file) => resolvePath(directory, file)).find((file) => machine.kindOf(file) === "file");
  return { files: found === undefined ? [] : [{ index: -1, path: found }], unbound };
}

const SCRIPT_COMMANDS = new Set(
  "run run-script rum urn test t tst start stop restart install i ci install-test it publish pack version rebuild add update".split(" "),
);
const BUILT_IN = new Set(
  "exec x dlx node ls list ll la view info show outdated search ping whoami root prefix bin help audit fund explain why docs config cache init create login logout link unlink licenses".split(
    " ",
  ),
);

function packageScript(argv: Argv, name: string, cwd: AbsolutePath, machine: Machine): ConventionalInputs {
  const { options, operands } = readOptions(argv, {
    valued: "CwF",
    longValued: ["prefix", "dir", "cwd", "workspace", "filter", "reporter", "loglevel", "cache"],
  });
  const command = argv[operands];
  // yarn and pnpm take the name of a script for a command: `yarn build` is `yarn run build`.
  const runs = command === undefined ? name === "yarn" : SCRIPT_COMMANDS.has(command) || (name !== "npm" && !BUILT_IN.has(command));
  if (!runs || (name === "bun" && /[./]/.test(argv[operands + (command === "run" ? 1 : 0)] ?? ""))) return NONE;
  const elsewhere = options.findLast((option) => ["-C", "--prefix", "--dir", "--cwd"].includes(option.name))?.value;
  const workspaces = options.some((option) =>
    ["-w", "-F", "--workspace", "--filter", "-r", "--recursive", "--workspaces"].includes(option.name),
  );
  const found = nearest(followPath(elsewhere ?? ".", cwd, machine) ?? cwd, machine);
  const unbound = [`the programs that scripts of \`package.json\` start under ${quoted(name)}`];
  if (workspaces) unbound.push(`the \`package.json\` files of the workspaces that ${quoted(name)} visits`);
  return { files: found === null ? [] : [{ index: -1, path: found }], unbound };
}

function nearest(from: AbsolutePath, machine: Machine): AbsolutePath | null {
  for (let directory = from; ; directory = parentOf(directory)) {
    const file = resolvePath(directory, "package.json");
    if (machine.kindOf(file) === "file") return file;
    if (directory === "/") return null;
  }
}

/** Other task runners: their files are too many kinds to bind, so they are named. */
const PROJECT_FILES: ReadonlyMap<string, string> = new Map(
  [
    ["the recipes of the justfile", "just"],
    ["the tasks of the Rakefile", "rake"],
    ["the build files and rules", "ninja cmake meson scons bazel buck2 gradle gradlew mvn ant sbt waf"],
    ["the build scripts and code of the crate", "cargo"],
    ["the packages and their generators", "go"],
    ["the tests and plug-ins of the project", "pytest tox nox jest vitest mocha"],
    ["the tasks of the project", "gulp grunt turbo nx lerna task mage invoke fab"],
    ["the playbooks, roles and modules", "ansible-playbook ansible"],
  ].flatMap(([what, names]) => (names ?? "").split(" ").map((name) => [name, what ?? ""] as const)),
);
