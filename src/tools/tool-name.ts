import type { Brand } from "../core/brand.ts";

/** A tool's name as lists compare it: lower case, without surrounding blanks, aliases replaced. */
export type ToolName = Brand<string, "ToolName">;

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["bash", "exec"],
  ["apply-patch", "apply_patch"],
]);

export function toolName(text: string): ToolName {
  const plain = text.trim().toLowerCase();
  const name = ALIASES.get(plain) ?? plain;
  if (!isToolName(name)) throw new Error("a name in lower case is a tool name");
  return name;
}

/** What no catalogue of tools has ever held. A gateway might fold such a name into another one after it was judged. */
export function isStrangeName(name: ToolName): boolean {
  return !/^[\x21-\x7e]+$/.test(name);
}

/** Anything in lower case: whether it names a tool is for the lists to say. */
function isToolName(text: string): text is ToolName {
  return text === text.toLowerCase();
}
