/** The command a person typed after `run`, `check` or `explain`, as the parameters that the daemon takes for all three. */
import { resolve } from "node:path";
import type { CommandRequest } from "../client/requests.ts";
import { STDIN_BASE64_BYTES_MAX } from "../core/limits.ts";
import { type CommandCall, type Flag, type Operand, UsageError } from "./command.ts";
import { durationMs, pairs } from "./flag-values.ts";

export const ASKED_COMMAND: Operand = {
  name: "COMMAND",
  summary: "the command and its words, as they stand; or --command",
  optional: true,
  rest: "command",
};

export const ASKED_COMMAND_FLAGS: Readonly<Record<string, Flag>> = {
  agent: { value: "ID", summary: "the agent that asks (default: main)" },
  session: { value: "KEY", summary: "the session it asks in" },
  cwd: { value: "DIR", summary: "the directory to run in (default: here)" },
  env: { value: "NAME=VALUE", summary: "a variable to add to the environment, which is otherwise built from nothing", repeated: true },
  timeout: { value: "TIME", summary: "end the command after this long: 30s, 5m" },
  stdin: { summary: "read standard input to its end and give it to the command" },
  command: { value: "TEXT", summary: "shell text instead of words" },
};

export async function askedCommand(call: CommandCall): Promise<CommandRequest> {
  const agentId = call.text("agent");
  const sessionKey = call.text("session");
  const timeoutMs = durationMs(call, "timeout");
  const env = pairs(call, "env");
  return {
    ...wordsOrText(call),
    cwd: resolve(call.io.cwd, call.text("cwd") ?? "."),
    ...(agentId === undefined ? {} : { agentId }),
    ...(sessionKey === undefined ? {} : { sessionKey }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(call.has("stdin") ? { stdinBase64: (await readInput(call)).toString("base64") } : {}),
  };
}

function wordsOrText(call: CommandCall): { readonly argv: readonly string[] } | { readonly command: string } {
  const text = call.text("command");
  const { operands: argv } = call;
  if (text !== undefined && argv.length > 0) throw new UsageError("give either --command TEXT or the words after --, not both");
  if (text === undefined && argv.length === 0) throw new UsageError("no command was given; write it after --");
  for (const [index, word] of [...argv, ...(text === undefined ? [] : [text])].entries()) {
    // Node turns bytes that are not UTF-8 into this character; what would be asked for is then not what was typed.
    if (word.includes("\ufffd")) throw new UsageError(`word ${index + 1} is not valid UTF-8; such a name cannot be asked for`);
  }
  return text === undefined ? { argv } : { command: text };
}

async function readInput(call: CommandCall): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const input: AsyncIterable<Buffer> = call.io.stdin;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > STDIN_BASE64_BYTES_MAX) {
      throw new UsageError(`standard input has more than ${STDIN_BASE64_BYTES_MAX} bytes; put it into a file and name that`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
