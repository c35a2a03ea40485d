/** The real machine behind analysis/machine.ts, with the child's eyes. One is made per request: it looks at each thing once. */
import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import type { Machine, Program } from "../analysis/machine.ts";
import { type AbsolutePath, baseName, entryOf } from "../core/absolute-path.ts";
import type { Native } from "../native/native.ts";
import { accessListOf } from "./access-list.ts";
import type { Credentials } from "./credentials.ts";
import { type FirstLines, readFirstLine } from "./first-lines.ts";
import { EXECUTE, type Owned, permits, READ } from "./permission.ts";
import { liesInWorldWritable, type Scrutiny, scrutinyOf, scrutinyOfEveryone } from "./scrutiny.ts";
import { isDirectory, isFile, isLink } from "./seen.ts";
import { createWalker, type Walker } from "./walk.ts";

/** S_ISUID and S_ISGID, inode(7). */
const SET_ID = 0o6000;

export interface Eyes {
  readonly child: Credentials;
  /** Whether the child is this very process's user: then the kernel answers for it, and nothing needs to be computed. */
  readonly isOurselves: boolean;
  readonly native: Native | null;
}

/** What one request sees of the file system. */
export interface Sight {
  readonly walker: Walker;
  readonly byChild: Scrutiny;
  readonly byAnyone: Scrutiny;
  mayRead(path: string, found: Owned): boolean;
  mayStart(path: string, found: Owned): boolean;
  /** Whether the child could make this its working directory. */
  mayEnter(path: string, found: Owned): boolean;
}

export function createSight({ child, isOurselves, native }: Eyes): Sight {
  const may = (want: number) => (path: string, found: Owned) => permits(child, found, want, () => accessListOf(path, native));
  const walker = createWalker(isOurselves ? () => true : may(EXECUTE));
  const byAnyone = scrutinyOfEveryone(child, walker, native);
  return {
    walker,
    byAnyone,
    byChild: child.uid === 0 ? byAnyone : scrutinyOf(child, walker, native),
    mayRead: isOurselves ? () => true : may(READ),
    mayStart: isOurselves ? mayStartOurselves : may(EXECUTE),
    mayEnter: isOurselves ? () => true : may(EXECUTE),
  };
}

/** access(2), which also knows of lists and of file systems mounted noexec. */
function mayStartOurselves(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Places = Pick<Machine, "home" | "stateDirectory">;

/** `path` are the directories that a program's bare name is looked up in. */
export function createMachine(path: readonly string[], places: Places, sight: Sight, known: FirstLines | null = null): Machine {
  const { walker, byChild, byAnyone } = sight;
  const firstLines = new Map<AbsolutePath, ReturnType<Machine["shebang"]>>();
  const programs = new Map<string, Program | "not-found" | "not-executable">();

  /** `place` is absolute, and its links are not resolved yet. */
  function programAt(place: string, word: string): Program | "not-found" | "not-executable" {
    const walked = walker.walk(place);
    if (walked === null) return "not-found";
    // Only directories end in a slash, `.` or `..`, so a file has a name that can be kept.
    if (!isFile(walked.found) || !sight.mayStart(walked.path, walked.found)) return "not-executable";
    const directory = walker.walk(dirname(place));
    if (directory === null) return "not-found";
    return {
      word,
      linkPath: entryOf(directory.path, baseName(place)),
      realPath: walked.path,
      linksAreRoots: !walked.links.some((link) => byAnyone.replaceable(link)),
      setId: (walked.found.mode & SET_ID) !== 0,
    };
  }

  /** execvp(3): what may not be started does not end the search. */
  function programOnPath(word: string): Program | "not-found" | "not-executable" {
    let unusable = false;
    for (const directory of path) {
      const found = programAt(`${directory}/${word}`, word);
      if (typeof found === "object") return found;
      unusable ||= found === "not-executable";
    }
    return unusable ? "not-executable" : "not-found";
  }

  function firstLineOf(at: AbsolutePath): ReturnType<Machine["shebang"]> {
    const found = walker.found(at);
    if (found === null || !isFile(found) || !sight.mayRead(at, found)) return null;
    return known === null || byAnyone.changeable(at) ? readFirstLine(at) : known.of(at, found);
  }

  return {
    home: places.home,
    stateDirectory: places.stateDirectory,
    program(word, cwd) {
      if (word === "") return "not-found";
      const isName = !word.includes("/");
      const place = isName || word.startsWith("/") ? word : `${cwd}/${word}`;
      const before = programs.get(place);
      if (before !== undefined) return typeof before === "object" && before.word !== word ? { ...before, word } : before;
      const found = isName ? programOnPath(word) : programAt(place, word);
      programs.set(place, found);
      return found;
    },
    kindOf(at) {
      const found = walker.walk(at)?.found;
      if (found === undefined) return null;
      if (isFile(found)) return "file";
      return isDirectory(found) ? "directory" : "other";
    },
    realPath: (at) => walker.walk(at)?.path ?? null,
    linkText(at) {
      const found = walker.found(at);
      return found !== null && isLink(found) ? walker.target(at) : null;
    },
    childCanChange(at) {
      const walked = walker.walk(at);
      return walked === null || byChild.changeable(walked.path);
    },
    inWorldWritableDirectory(at) {
      const walked = walker.walk(at);
      return walked === null || liesInWorldWritable(walked.path, walker);
    },
    shebang(at) {
      const before = firstLines.get(at);
      if (before !== undefined) return before;
      const line = firstLineOf(at);
      firstLines.set(at, line);
      return line;
    },
  };
}
