import { closest } from "../core/did-you-mean.ts";
import type { JsonObject } from "../core/json.ts";
import type { Member, Members } from "./json5-tree.ts";
import { memberPath, type Problem } from "./problem.ts";
import { complain, isAbsent, type Shape, type ValueOf } from "./shape.ts";

/** What a section may hold: exactly these members, each of which may be left out. */
export type Table = Readonly<Record<string, Shape<unknown>>>;
export type Read<Rows extends Table> = { readonly [Key in keyof Rows]?: ValueOf<Rows[Key]> };

export function section<const Rows extends Table>(
  about: string,
  rows: Rows,
  required: readonly (keyof Rows & string)[] = [],
): Shape<Read<Rows>> {
  return {
    schema: { ...sectionSchema(about, rows), ...(required.length === 0 ? {} : { required }) },
    read(tree, path, problems) {
      if (isAbsent(tree)) return undefined;
      if (tree.kind !== "object") return complain(problems, path, tree.at, "must be an object");
      for (const key of required) {
        const isThere = tree.members.some((member) => member.key === key && !isAbsent(member.value));
        if (!isThere) complain(problems, path, tree.at, `must have \`${key}\``);
      }
      return readRows(tree, rows, path, problems, ({ key, keyAt }, here) => {
        const meant = closest(key, Object.keys(rows));
        complain(problems, here, keyAt, `is not a known key; ${meant === null ? "leave it out" : `did you mean \`${meant}\`?`}`);
      });
    },
  };
}

export function sectionSchema(about: string, rows: Table): JsonObject {
  const properties = Object.fromEntries(Object.entries(rows).map(([key, shape]) => [key, shape.schema]));
  return { description: about, type: "object", properties, additionalProperties: false };
}

/** Every member is read by its row; one without a row goes to `otherwise`. */
export function readRows<const Rows extends Table>(
  tree: Members,
  rows: Rows,
  path: string,
  problems: Problem[],
  otherwise: (member: Member, path: string) => void,
): Read<Rows> {
  const found = new Map<string, unknown>();
  const seen = new Set<string>();
  for (const member of tree.members) {
    const here = memberPath(path, member.key);
    if (seen.has(member.key)) complain(problems, here, member.keyAt, "is written twice; keep one");
    seen.add(member.key);
    const row = Object.hasOwn(rows, member.key) ? rows[member.key] : undefined;
    if (row === undefined) otherwise(member, here);
    else found.set(member.key, row.read(member.value, here, problems));
  }
  const read: object = Object.fromEntries([...found].filter(([, value]) => value !== undefined));
  if (!isRead<Rows>(read)) throw new Error("an object was made of the rows");
  return read;
}

/** Each member went through its own row, so the whole has the rows' type; a guard says so without a cast. */
function isRead<Rows extends Table>(value: object): value is Read<Rows> {
  return !Array.isArray(value);
}
