import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import type { HookFormat } from "./format.ts";
import { gemini } from "./gemini.ts";

export const HOOK_TOOLS = ["claude-code", "codex", "gemini"] as const;
export type HookTool = (typeof HOOK_TOOLS)[number];

export const FORMATS: Readonly<Record<HookTool, HookFormat>> = { "claude-code": claudeCode, codex, gemini };

export function isHookTool(text: string): text is HookTool {
  return Object.hasOwn(FORMATS, text);
}
