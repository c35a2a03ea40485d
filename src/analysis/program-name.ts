/**
 * The name that tables are looked up by: the last path component, lower-cased, without what Windows adds. Blanks around it are dropped,
 * because here a look-alike must fall under the same rule rather than slip past it.
 */
export function programName(word: string): string {
  const last = word.trim().split(/[/\\]/).at(-1) ?? "";
  return last.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, "");
}

/** `python3.11` is a `python`, `node20` a `node`, `lua5.4` a `lua`, `gcc-12` a `gcc`. Look up the full name first: `base64` is no `base`. */
export function withoutVersion(name: string): string {
  return /^(.*[a-z+])[-_.]?\d+(?:\.\d+)*[a-z]?$/.exec(name)?.[1]?.replace(/[-_.]?\d+(?:\.\d+)*$/, "") ?? name;
}

/** A table's row for a name, by the name itself or without its version. */
export function rowFor<Row>(table: ReadonlyMap<string, Row>, name: string): Row | undefined {
  return table.get(name) ?? table.get(withoutVersion(name));
}
