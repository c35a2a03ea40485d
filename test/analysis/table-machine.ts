import type { Machine, Shebang } from "../../src/analysis/machine.ts";
import { type AbsolutePath, parentOf, parseAbsolutePath, resolvePath } from "../../src/core/absolute-path.ts";
import { type Argv, toArgv } from "../../src/core/argv.ts";

/** A machine that is a table: files with what stands in their first line, links, and who may change what. */
export interface Table {
  /** Executable files. The value is the `#!` line, `"text"` for text without one, `"binary"` otherwise. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly others?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly path?: readonly string[];
}

/** Everything below `/home/u` and `/tmp` is the child's own. */
const CHANGEABLE = ["/home/u", "/tmp"];
export const CWD = at("/home/u/p");

export function at(text: string): AbsolutePath {
  const path = parseAbsolutePath(text);
  if (!path.ok) throw new Error(`${text} is not absolute`);
  return path.value;
}

export function argvOf(...words: readonly string[]): Argv {
  const argv = toArgv(words);
  if (argv === null) throw new Error("an empty argv");
  return argv;
}

const SYSTEM = (
  "sh bash dash zsh ksh fish env nice nohup timeout stdbuf time ls cat echo printf rg grep head wc git tar find xargs sed awk python3 node npm npx " +
  "pnpm make sudo touch true rm perl ruby busybox tclsh setsid ssh curl docker id kill pwd test [ sort zip sleep bun deno php tsx java lua"
).split(" ");

export function tableMachine(table: Table = {}): Machine {
  const programs: Record<string, string> = {
    ...Object.fromEntries(SYSTEM.map((name) => [`/usr/bin/${name}`, "binary"])),
    ...table.programs,
  };
  const links: Record<string, string> = { "/bin": "/usr/bin", ...table.links };
  const files = new Set([...Object.keys(programs), ...(table.files ?? [])]);
  const others = new Set(table.others ?? []);
  const directories = new Set<string>(["/", "/tmp", "/home/u/p/sub", "/usr/bin"]);
  for (const path of [...files, ...others, ...Object.keys(links), CWD]) {
    for (let up = at(path); up !== "/"; up = parentOf(up)) directories.add(parentOf(up));
  }
  directories.add(CWD);
  const real = (path: AbsolutePath, hops = 0): AbsolutePath => {
    let out = at("/");
    for (const part of path.split("/").filter((each) => each !== "")) {
      const next = resolvePath(out, part);
      const target = links[next];
      out = target === undefined || hops > 8 ? next : real(resolvePath(out, target), hops + 1);
    }
    return out;
  };
  const exists = (path: AbsolutePath): boolean => files.has(path) || others.has(path) || directories.has(path);
  const canChange = (path: string): boolean => CHANGEABLE.some((top) => path === top || path.startsWith(`${top}/`));
  return {
    home: at("/home/u"),
    stateDirectory: at("/home/u/.local/state/countersign"),
    program(word, cwd) {
      const places = word.includes("/")
        ? [resolvePath(cwd, word)]
        : (table.path ?? ["/usr/bin"]).map((directory) => resolvePath(at(directory), word));
      for (const place of places) {
        const file = real(place);
        if (programs[file] !== undefined) {
          const linkPath = resolvePath(real(parentOf(place)), place.slice(place.lastIndexOf("/") + 1));
          return { word, linkPath, realPath: file, linksAreRoots: !canChange(place) || file === place };
        }
        if (files.has(file)) return "not-executable";
      }
      return "not-found";
    },
    kindOf(path) {
      const file = real(path);
      if (files.has(file)) return "file";
      if (others.has(file)) return "other";
      return directories.has(file) ? "directory" : null;
    },
    realPath(path) {
      const found = real(path);
      return exists(found) ? found : null;
    },
    linkText: (path) => links[path] ?? null,
    childCanChange: canChange,
    inWorldWritableDirectory: (path) => path.startsWith("/tmp/"),
    shebang: (path) => firstLine(programs[path]),
  };
}

function firstLine(line: string | undefined): Shebang | "none" | null {
  if (line === undefined || line === "binary") return null;
  if (line === "text") return "none";
  const [interpreter = "", ...rest] = line.replace(/^#!\s*/, "").split(" ");
  return { interpreter, argument: rest.length === 0 ? null : rest.join(" ") };
}
