import { type AbsolutePath, isInside } from "../core/absolute-path.ts";
import { compileGlob, type Glob, literalPrefix } from "../policy/glob.ts";
import { findPlace, type RealPlace } from "./real-place.ts";
import type { ToolMachine } from "./tool-call.ts";

/** Patterns over paths. `~/` stands for the home of whoever is asked about, so it is filled in when the question comes. */
export interface PathList {
  find(place: RealPlace, machine: ToolMachine): string | null;
  readonly isEmpty: boolean;
}

interface PathPattern {
  readonly written: string;
  readonly fromHome: boolean;
  readonly matches: Glob;
}

/**
 * Allowed is what really lies at an allowed path. The patterns themselves are not resolved: else whoever can turn `~/Projects` into a link
 * to `/` would have everything allowed.
 */
export function compileAllowedPaths(written: readonly string[]): PathList {
  const patterns = written.map((each) => patternOf(each, compileGlob));
  return {
    isEmpty: patterns.length === 0,
    find: ({ real }, machine) => patterns.find((pattern) => matches(pattern, real, machine.home))?.written ?? null,
  };
}

/**
 * Denied is what was asked for by a denied path and what really lies at one, with the links in the pattern's own directories followed too:
 * `~/.ssh/**` holds when `~/.ssh` is a link. It covers the directory itself, and a double star stands for no directory as well.
 */
export function compileDeniedPaths(written: readonly string[]): PathList {
  const patterns = written.map((each) => patternOf(each, wideGlob));
  return {
    isEmpty: patterns.length === 0,
    find: ({ asked, real }, machine) =>
      patterns.find(
        (pattern) => [asked, real].some((path) => matches(pattern, path, machine.home)) || matchesResolved(pattern, real, machine),
      )?.written ?? null,
  };
}

function patternOf(written: string, compile: (pattern: string) => Glob): PathPattern {
  const fromHome = written.startsWith("~");
  return { written, fromHome, matches: compile(fromHome ? written.slice(1) : written) };
}

function wideGlob(pattern: string): Glob {
  const globs = [pattern, pattern.replaceAll("/**/", "/"), pattern.replace(/\/\*\*$/, "")].map(compileGlob);
  return (path) => globs.some((glob) => glob(path));
}

function matches({ fromHome, matches: glob }: PathPattern, path: AbsolutePath, home: AbsolutePath): boolean {
  if (!fromHome) return glob(path);
  return isInside(path, home) && glob(home === "/" ? path : path.slice(home.length));
}

function matchesResolved({ written }: PathPattern, real: AbsolutePath, machine: ToolMachine): boolean {
  const prefix = literalPrefix(written);
  const directory = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const place = findPlace(directory, null, machine);
  // A denied directory that cannot be placed could be anywhere, but then nothing can be reached through it either.
  if (!place.ok || place.value.asked === place.value.real) return false;
  const resolved = place.value.real === "/" ? "/" : `${place.value.real}/`;
  return wideGlob(resolved + written.slice(directory.length))(real);
}
