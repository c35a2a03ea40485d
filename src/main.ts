#!/usr/bin/env node
import { main } from "./cli/cli.ts";
import { flush, processIo } from "./cli/io.ts";

const io = processIo();
const exitCode = await main(process.argv.slice(2), io);
await flush(io);
process.exit(exitCode);
