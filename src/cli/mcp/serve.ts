/** `countersign mcp`: a Model Context Protocol server on standard input and output. The SDK is loaded here and nowhere else. */
import { once } from "node:events";
import type { McpServer } from "@modelcontextprotocol/server";
import type * as v from "valibot";
import { CallError } from "../../client/call-error.ts";
import { VERSION } from "../../core/version.ts";
import { jsonSchemaOf } from "../../wire/json-schema.ts";
import type { CommandCall } from "../command.ts";
import { permissionInput, promptPermission } from "./permission-prompt.ts";
import { runInput, runSystem } from "./system-run.ts";

export async function run(call: CommandCall): Promise<number> {
  const [{ McpServer }, { serveStdio, StdioServerTransport }] = await loadSdk();
  const { io } = call;
  const transport = new StdioServerTransport(io.stdin, io.stdout);
  const served = serveStdio(() => withTools(new McpServer({ name: "countersign", version: VERSION }), call), {
    transport,
    onerror: (error) => io.err(`countersign: ${error.message}`),
  });
  await Promise.race([once(io.stdin, "close"), once(io.stdin, "end"), once(io.signal, "abort")]);
  await served.close();
  return 0;
}

function withTools(server: McpServer, call: CommandCall): McpServer {
  server.registerTool(
    "system_run",
    {
      title: "Run a command",
      description:
        "Runs a command on this machine if the operator's policy allows it or a person approves it, exactly as given. " +
        "Give `command` (shell text; plain pipelines and && need no shell) or `argv` (words, taken as they stand). " +
        "May wait for a person. A refusal says its code and starts nothing.",
      inputSchema: standard(runInput),
    },
    async (input, context) => runSystem(input, call, context.mcpReq.signal),
  );
  server.registerTool(
    "permission_prompt",
    {
      title: "Ask countersign for permission",
      description: "For agents that put their permission prompts to an MCP tool, such as Claude Code's --permission-prompt-tool.",
      inputSchema: standard(permissionInput),
    },
    async (input, context) => promptPermission(input, call, context.mcpReq.signal),
  );
  return server;
}

/** Our own schemas in the form that the SDK takes: the same one checks the input and describes it. */
function standard<Output>(schema: v.GenericSchema<unknown, Output>) {
  const described = (): Record<string, unknown> => ({ ...jsonSchemaOf(schema) });
  return { "~standard": { ...schema["~standard"], jsonSchema: { input: described, output: described } } };
}

async function loadSdk() {
  try {
    return await Promise.all([import("@modelcontextprotocol/server"), import("@modelcontextprotocol/server/stdio")]);
  } catch {
    throw new CallError("config.invalid", "the package `@modelcontextprotocol/server` is not installed; install it beside countersign");
  }
}
