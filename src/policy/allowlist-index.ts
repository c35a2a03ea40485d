import { baseName } from "../core/absolute-path.ts";
import { compileGlob, type Glob, isLiteral, literalPrefix } from "./glob.ts";

/**
 * Path patterns arranged so that looking one path up does not grow with the list. A literal pattern is found by the path itself. A glob is
 * filed under its literal prefix and, where its last component is literal too, under that name: a path asks once for every prefix length
 * that occurs, and only what agrees at both ends is run.
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

/** No file is called this, so it cannot be confused with a name. */
const ANY_NAME = "/";

export function indexPaths<Item>(filed: readonly Filed<Item>[]): PathIndex<Item> {
  const exact = new Map<string, Place<Item>[]>();
  const globs = new Map<string, Place<Item>[]>();
  const lengths = new Set<number>();
  filed.forEach(({ pattern, item }, order) => {
    const place: Place<Item> = { order, item, glob: compileGlob(pattern) };
    if (isLiteral(pattern)) {
      fileUnder(exact, pattern, place);
    } else {
      const prefix = literalPrefix(pattern);
      lengths.add(prefix.length);
      fileUnder(globs, globKey(prefix, literalName(pattern)), place);
    }
  });
  const ascending = [...lengths].sort((a, b) => a - b);
  return {
    matching(path) {
      const found = [...(exact.get(path) ?? [])];
      const name = baseName(path);
      for (const length of ascending) {
        if (length > path.length) break;
        const prefix = path.slice(0, length);
        for (const key of [globKey(prefix, name), globKey(prefix, ANY_NAME)]) {
          for (const place of globs.get(key) ?? []) if (place.glob(path)) found.push(place);
        }
      }
      return found.sort((a, b) => a.order - b.order).map((place) => place.item);
    },
  };
}

/** The last component of a pattern, if nothing in it or touching it is a wildcard: `**rg` may end inside a name. */
function literalName(pattern: string): string {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  return pattern.includes("/") && name !== "" && isLiteral(name) ? name : ANY_NAME;
}

function globKey(prefix: string, name: string): string {
  return `${prefix}\0${name}`;
}

function fileUnder<Item>(map: Map<string, Place<Item>[]>, key: string, place: Place<Item>): void {
  const places = map.get(key);
  if (places === undefined) map.set(key, [place]);
  else places.push(place);
}
