import type { AbsolutePath } from "../core/absolute-path.ts";

/**
 * What the pure layers may ask of the machine, always with the child's eyes. The edge answers from the real file system
 * (exec/machine.ts), tests from a table. Answers hold only for the moment: whatever will run is opened and hashed afterwards.
 */
export interface Machine {
  /** The child's home, and the directory of our own state, which no command may be waved into. */
  readonly home: AbsolutePath;
  readonly stateDirectory: AbsolutePath;
  /** A word with a slash is taken relative to `cwd`; any other is looked up on the child's PATH and never in `cwd`. */
  program(word: string, cwd: AbsolutePath): Program | "not-found" | "not-executable";
  /** Follows links. `null` when nothing is there or it cannot be read. */
  kindOf(path: AbsolutePath): "file" | "directory" | "other" | null;
  realPath(path: AbsolutePath): AbsolutePath | null;
  /** What a symbolic link at this very place says, whether or not anything is there; `null` when it is no link. */
  linkText(path: AbsolutePath): string | null;
  /** Whether the child's uid or gids could change the file, or any directory on its canonical path. */
  childCanChange(path: AbsolutePath): boolean;
  inWorldWritableDirectory(path: AbsolutePath): boolean;
  /** The first line of a script; `null` for a binary, `"none"` for text that starts without `#!`. */
  shebang(path: AbsolutePath): Shebang | "none" | null;
}

/** An executable's identity is a pair: where the name led, and which file that is. */
export interface Program {
  /** The word as it was written. */
  readonly word: string;
  /** Directory canonical, final name kept. */
  readonly linkPath: AbsolutePath;
  readonly realPath: AbsolutePath;
  /** Every symbolic link on the way can be changed by root alone. */
  readonly linksAreRoots: boolean;
  /** Starts with the rights of the file's owner or group, not of whoever starts it: execve(2). */
  readonly setId?: boolean;
}

export interface Shebang {
  readonly interpreter: string;
  /** Linux hands everything after the interpreter over as one argument, execve(2). */
  readonly argument: string | null;
}
