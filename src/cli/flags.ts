import type { Flag } from "./command.ts";

/** Flags that every command takes, before or after its name. */
export const SHARED_FLAGS: Readonly<Record<string, Flag>> = {
  "state-dir": { value: "DIR", summary: "the daemon's state directory ($COUNTERSIGN_STATE_DIR)" },
  socket: { value: "PATH", summary: "its socket, if it lies elsewhere ($COUNTERSIGN_SOCKET)" },
  "token-file": { value: "FILE", summary: "the credential to show ($COUNTERSIGN_TOKEN_FILE)" },
  json: { summary: 'print one JSON value, errors too: {"error": {code, message, data}}' },
  help: { short: "h", summary: "say what this command does and takes" },
  version: { summary: "print the version" },
};
