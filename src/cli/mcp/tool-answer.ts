export interface ToolAnswer {
  readonly content: { type: "text"; text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError: boolean;
  readonly [key: string]: unknown;
}

export function told(text: string, structuredContent: Record<string, unknown>, isError = false): ToolAnswer {
  return { content: [{ type: "text", text }], structuredContent, isError };
}
