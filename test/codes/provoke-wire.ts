/** Frames and credentials. */
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { rawClient } from "../support/raw-client.ts";
import { AS_NOBODY } from "../support/unprivileged.ts";
import { codeIn, codeOf } from "./bench.ts";
import type { Provocations } from "./provocations.ts";

const isRoot = process.getuid?.() === 0;

export const WIRE: Provocations<"wire." | "auth."> = {
  "wire.line-too-long": ({ frame }) => frame("a".repeat(1024 * 1024 + 1)),
  "wire.bad-utf8": ({ frame }) => frame(Uint8Array.of(0x22, 0xff, 0x22, 0x0a)),
  "wire.bad-json": ({ frame }) => frame("{]\n"),
  "wire.not-an-object": ({ frame }) => frame("null\n"),
  "wire.duplicate-key": ({ frame }) => frame('{"jsonrpc":"2.0","id":1,"id":1,"method":"status"}\n'),
  "wire.forbidden-key": ({ frame }) => frame('{"jsonrpc":"2.0","id":1,"method":"status","constructor":1}\n'),
  "wire.too-deep": ({ frame }) => frame(`{"a":${"[".repeat(65)}${"]".repeat(65)}}\n`),
  "wire.unknown-field": async ({ gateway }) => codeOf(await gateway.call("status", { more: true })),
  "wire.invalid-params": async ({ gateway }) => codeOf(await gateway.call("system.run", { argv: [] })),
  "wire.unknown-method": async ({ gateway }) => codeOf(await gateway.call("system.reboot")),
  "auth.required": async ({ daemon }) => {
    const client = await rawClient(daemon.socketPath);
    client.call(1, "status");
    return codeIn(await client.next());
  },
  "auth.failed": async ({ daemon }) => codeIn(await (await rawClient(daemon.socketPath)).authenticate("guess")),
  "auth.forbidden": async ({ gateway }) =>
    codeOf(await gateway.call("exec.approval.resolve", { id: "00000000-0000-4000-8000-000000000000", decision: "allow-once" })),
  "auth.peer-refused": isRoot
    ? async ({ other }) => {
        // Others may open the socket, and who they are is asked of the kernel: nobody is not among them.
        const { daemon } = await other({ document: { version: 1, socket: { allowUids: [12_345] } } });
        chmodSync(dirname(daemon.stateDir), 0o711);
        const program = `require("net").connect(process.argv[1]).on("data",d=>{console.log(String(d));process.exit()}).on("error",e=>console.log(e.code))`;
        const { stdout } = spawnSync("setpriv", [...AS_NOBODY, process.execPath, "-e", program, daemon.socketPath], { encoding: "utf8" });
        return /"code":"(auth[a-z.-]+)"/.exec(stdout)?.[1] ?? stdout;
      }
    : { cannot: "only root can call as another user" },
  "auth.timeout": async ({ daemon }) => codeIn(await (await rawClient(daemon.socketPath)).next()),
};
