import { closest } from "../core/did-you-mean.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { Tree } from "./json5-tree.ts";
import { memberPath, type Problem } from "./problem.ts";

/**
 * The words in which the settings table is written. Each shape both reads a value and describes itself as JSON Schema, so that what an
 * editor underlines is what the daemon refuses. `null` counts as absent; nothing is trimmed, coerced or case-folded.
 */
export interface Shape<Value> {
  /** `undefined` when the value is absent or was complained about. */
  read(tree: Tree, path: string, problems: Problem[]): Value | undefined;
  readonly schema: JsonObject;
}

export type ValueOf<Each> = Each extends Shape<infer Value> ? Value : never;

/** Refuses a value with a message that completes "`path` …", or takes it. */
export type Check<Value> = (value: Value) => string | null;

export function flag(about: string): Shape<boolean> {
  return scalar(about, { type: "boolean" }, "must be true or false", (value) => (typeof value === "boolean" ? value : undefined));
}

export function choice<const Choices extends readonly string[]>(about: string, choices: Choices): Shape<Choices[number]> {
  const find = (value: unknown): Choices[number] | undefined => choices.find((each) => each === value);
  const list = choices.map((each) => `\`${each}\``).join(", ");
  return scalar(about, { enum: choices }, `must be one of ${list}`, find, (value) => suggestion(value, choices));
}

export function text(about: string, check: Check<string> = () => null, schema: JsonObject = {}): Shape<string> {
  const shape = scalar(about, { type: "string", minLength: 1, ...schema }, "must be a text that is not empty", (value) =>
    typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined,
  );
  return checked(shape, check);
}

export function whole(about: string, min: number, max: number): Shape<number> {
  const bounds = { type: "integer", minimum: min, maximum: max };
  return scalar(about, bounds, `must be a whole number from ${min} to ${max}`, (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined,
  );
}

export function list<Item>(about: string, item: Shape<Item>): Shape<readonly Item[]> {
  return {
    schema: { description: about, type: "array", items: item.schema },
    read(tree, path, problems) {
      if (isAbsent(tree)) return undefined;
      if (tree.kind !== "list") return complain(problems, path, tree.at, "must be a list");
      return tree.items.flatMap((each, index) => {
        const here = `${path}[${index}]`;
        if (isAbsent(each)) complain(problems, here, each.at, "must not be null; leave it out");
        const value = item.read(each, here, problems);
        return value === undefined ? [] : [value];
      });
    },
  };
}

/** Keys that the operator chooses: providers, plugins, channels. */
export function map<Value>(about: string, value: Shape<Value>, checkKey: Check<string> = () => null): Shape<ReadonlyMap<string, Value>> {
  return {
    schema: { description: about, type: "object", additionalProperties: value.schema },
    read(tree, path, problems) {
      if (isAbsent(tree)) return undefined;
      if (tree.kind !== "object") return complain(problems, path, tree.at, "must be an object");
      const found = new Map<string, Value>();
      for (const member of tree.members) {
        const here = memberPath(path, member.key);
        const objection = found.has(member.key) ? "is written twice; keep one" : checkKey(member.key);
        if (objection !== null) complain(problems, here, member.keyAt, objection);
        const read = value.read(member.value, here, problems);
        if (read !== undefined) found.set(member.key, read);
      }
      return found;
    },
  };
}

/** One of two spellings, told apart by whether a list or an object stands there. */
export function listOr<Listed, Mapped>(listed: Shape<Listed>, mapped: Shape<Mapped>): Shape<Listed | Mapped> {
  return {
    schema: { anyOf: [listed.schema, mapped.schema] },
    read(tree, path, problems) {
      if (isAbsent(tree)) return undefined;
      if (tree.kind === "scalar") return complain(problems, path, tree.at, "must be a list or an object");
      return tree.kind === "list" ? listed.read(tree, path, problems) : mapped.read(tree, path, problems);
    },
  };
}

/** A section that belongs to the gateway. It is allowed to stand in a shared file, and nothing here depends on it. */
export function foreign(about: string): Shape<never> {
  return { schema: { description: `${about} Read by the gateway, not by countersign.` }, read: () => undefined };
}

export function checked<Value>(shape: Shape<Value>, check: Check<Value>): Shape<Value> {
  return {
    schema: shape.schema,
    read(tree, path, problems) {
      const value = shape.read(tree, path, problems);
      const objection = value === undefined ? null : check(value);
      return objection === null ? value : complain(problems, path, tree.at, objection);
    },
  };
}

/** What holds where the key is left out, said to editors and readers; what uses the value decides it by the same constant. */
export function usual<Value extends JsonValue>(shape: Shape<Value>, value: NoInfer<Value>): Shape<Value> {
  return { ...shape, schema: { ...shape.schema, default: value } };
}

export function isAbsent(tree: Tree): boolean {
  return tree.kind === "scalar" && tree.value === null;
}

export function complain(problems: Problem[], path: string, at: number, message: string): undefined {
  problems.push({ path, at, message });
  return undefined;
}

function suggestion(given: unknown, known: readonly string[]): string {
  const meant = typeof given === "string" ? closest(given, known) : null;
  return meant === null ? "" : `; did you mean \`${meant}\`?`;
}

function scalar<Value>(
  about: string,
  schema: JsonObject,
  otherwise: string,
  take: (value: unknown) => Value | undefined,
  hint: (value: unknown) => string = () => "",
): Shape<Value> {
  return {
    schema: { description: about, ...schema },
    read(tree, path, problems) {
      if (isAbsent(tree)) return undefined;
      const value = tree.kind === "scalar" ? tree.value : undefined;
      const taken = take(value);
      return taken === undefined ? complain(problems, path, tree.at, otherwise + hint(value)) : taken;
    },
  };
}

/** The value together with where it stood, for mistakes that only show beside other values. */
export function located<Value>(shape: Shape<Value>): Shape<{ readonly value: Value; readonly path: string; readonly at: number }> {
  return {
    schema: shape.schema,
    read(tree, path, problems) {
      const value = shape.read(tree, path, problems);
      return value === undefined ? undefined : { value, path, at: tree.at };
    },
  };
}
