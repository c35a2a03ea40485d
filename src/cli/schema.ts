/** `countersign schema`: the JSON Schema of every frame, made of the schemas and guards that the daemon and the client read frames with. */
import { EVENTS } from "../client/events.ts";
import { GUARDS } from "../client/results.ts";
import { CODES } from "../core/codes.ts";
import type { JsonObject } from "../core/json.ts";
import { REQUEST_ID_CHARS_MAX } from "../core/limits.ts";
import { jsonSchemaOf } from "../wire/json-schema.ts";
import { isMethodName, METHODS, type MethodName } from "../wire/methods.ts";
import { decisionAnswer, execAnswer, execFrame, execRequest, requestFrame } from "../wire/openclaw.ts";
import { type CommandCall, UsageError } from "./command.ts";

export async function run(call: CommandCall): Promise<number> {
  const [method] = call.operands;
  if (method !== undefined && !isMethodName(method)) throw new UsageError(`there is no method \`${method}\`; without one all are printed`);
  call.io.out(JSON.stringify(method === undefined ? everyFrame() : framesOf(method), null, 2));
  return 0;
}

const ID = { anyOf: [{ type: "string", maxLength: REQUEST_ID_CHARS_MAX }, { type: "number" }] };
const RPC = { const: "2.0" };

export function everyFrame(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "countersign, protocol 1",
    methods: Object.fromEntries(Object.keys(METHODS).flatMap((name) => (isMethodName(name) ? [[name, framesOf(name)]] : []))),
    notifications: Object.fromEntries(Object.entries(EVENTS).map(([topic, { schema }]) => [topic, notification(topic, schema)])),
    error: errorFrame(),
    openclaw: {
      request: jsonSchemaOf(requestFrame),
      decision: jsonSchemaOf(decisionAnswer),
      exec: jsonSchemaOf(execFrame),
      requestJson: jsonSchemaOf(execRequest),
      "exec-res": jsonSchemaOf(execAnswer),
    },
  };
}

function framesOf(method: MethodName): JsonObject {
  const { schema, roles, needsAuth } = METHODS[method];
  return {
    roles: needsAuth ? roles : [],
    request: frame({ jsonrpc: RPC, id: ID, method: { const: method }, params: jsonSchemaOf(schema) }, ["jsonrpc", "id", "method"], false),
    response: frame({ jsonrpc: RPC, id: ID, result: GUARDS[method].schema }, ["jsonrpc", "id", "result"]),
  };
}

function notification(topic: string, params: JsonObject): JsonObject {
  return frame({ jsonrpc: RPC, method: { const: topic }, params }, ["jsonrpc", "method", "params"]);
}

function errorFrame(): JsonObject {
  const code = { type: "string", description: `now one of ${Object.keys(CODES).join(" ")}; a newer daemon may know more` };
  const data = frame({ code }, ["code"]);
  const error = frame({ code: { type: "integer" }, message: { type: "string" }, data }, ["code", "message", "data"]);
  return frame({ jsonrpc: RPC, id: { anyOf: [ID, { type: "null" }] }, error }, ["jsonrpc", "id", "error"]);
}

function frame(properties: JsonObject, required: readonly string[], grows = true): JsonObject {
  return { type: "object", properties, required, ...(grows ? {} : { additionalProperties: false }) };
}
