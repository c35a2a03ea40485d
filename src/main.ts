#!/usr/bin/env node
import { main } from "./cli/cli.ts";
import { flush, processIo } from "./cli/io.ts";

const io = processIo();
const exitCode = await main(process.argv.slice(2), io);
await flush(io);
// At its end Node puts the terminal in order and aborts when that is gone: then the hang-up ends us, as it ends any other program.
if (io.hasLostTerminal()) {
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}
process.exit(exitCode);
