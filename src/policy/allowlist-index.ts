import { baseName } from "../core/absolute-path.ts";
import { compileGlob, type Glob, isLiteral, literalPrefix } from "./glob.ts";

/**
 * Path patterns arranged so that looking one path up does not grow with the list. A literal pattern is found by the path itself. A glob is
 * filed under what is literal at its two ends: everything before its first wildcard, and its whole name or the tail of its name. A path
 * asks once for every pair of lengths that occurs, and only what agrees at both ends is run.
 */
export interface PathIndex<Item> {
  /** In the order in which they were given. */
  matching(path: string): readonly Item[];
}

export interface Filed<Item> {
  readonly pattern: string;
  readonly item: Item;
}

interface Place<Item> {
  readonly order: number;
  readonly item: Item;
  readonly glob: Glob;
}

export function indexPaths<Item>(filed: readonly Filed<Item>[]): PathIndex<Item> {
  const exact = new Map<string, Place<Item>[]>();
  const globs = new Map<string, Place<Item>[]>();
  const shapes = new Map<string, Shape>();
  filed.forEach(({ pattern, item }, order) => {
    const place: Place<Item> = { order, item, glob: compileGlob(pattern) };
    if (isLiteral(pattern)) {
      fileUnder(exact, pattern, place);
    } else {
      const ends = endsOf(pattern);
      shapes.set(`${ends.prefix.length} ${ends.isName ? "name" : ends.tail.length}`, shapeOf(ends));
      fileUnder(globs, keyOf(ends.prefix, ends.isName, ends.tail), place);
    }
  });
  const all = [...shapes.values()];
  return {
    matching(path) {
      const found = [...(exact.get(path) ?? [])];
      const name = baseName(path);
      for (const { prefixChars, tailChars } of all) {
        if (prefixChars > path.length) continue;
        const tail = tailChars === null ? name : path.slice(Math.max(0, path.length - tailChars));
        for (const place of globs.get(keyOf(path.slice(0, prefixChars), tailChars === null, tail)) ?? []) {
          if (place.glob(path)) found.push(place);
        }
      }
      return found.sort((a, b) => a.order - b.order).map((place) => place.item);
    },
  };
}

/** What is literal in a glob: before its first wildcard, and at its end. */
interface Ends {
  readonly prefix: string;
  readonly tail: string;
  /** The tail is the whole last component. */
  readonly isName: boolean;
}

interface Shape {
  readonly prefixChars: number;
  /** `null`: the last component, whatever its length. */
  readonly tailChars: number | null;
}

function endsOf(pattern: string): Ends {
  const prefix = literalPrefix(pattern);
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  // `**rg` may end inside a name, so a name counts as whole only behind a slash.
  if (pattern.includes("/") && name !== "" && isLiteral(name)) return { prefix, tail: name, isName: true };
  return { prefix, tail: name.slice(Math.max(name.lastIndexOf("*"), name.lastIndexOf("?")) + 1), isName: false };
}

function shapeOf({ prefix, tail, isName }: Ends): Shape {
  return { prefixChars: prefix.length, tailChars: isName ? null : tail.length };
}

/** No name has a slash in it, so a whole name and a tail are never confused. */
function keyOf(prefix: string, isName: boolean, tail: string): string {
  return `${prefix}\0${isName ? "/" : ""}${tail}`;
}

function fileUnder<Item>(map: Map<string, Place<Item>[]>, key: string, place: Place<Item>): void {
  const places = map.get(key);
  if (places === undefined) map.set(key, [place]);
  else places.push(place);
}
