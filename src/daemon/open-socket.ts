/** Which socket is served: the one systemd hands over, or one of our own at the path that was asked for. */
import type { Server } from "node:net";
import { type AbsolutePath, parseAbsolutePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { SocketSection } from "../policy/document.ts";
import { type DaemonOptions, type Ground, homeOf } from "./ground.ts";
import { listenAt } from "./listen.ts";
import { listenOn } from "./systemd.ts";

export async function openSocket(
  server: Server,
  options: DaemonOptions,
  { native, handOver, paths }: Ground,
  section: SocketSection,
): Promise<Result<{ readonly path: string; stop(): void }, Denial>> {
  if (handOver.listenFd !== null) {
    const taken = await listenOn(server, handOver.listenFd);
    return taken.ok ? ok({ path: "from systemd", stop: () => void server.close() }) : taken;
  }
  const path = socketPath(options, section.path ?? paths.socket);
  if (!path.ok) return path;
  const listening = await listenAt(server, { path: path.value, shared: section.allowUids.length > 0, native });
  return listening.ok ? ok({ path: path.value, stop: () => listening.value.stop() }) : listening;
}

/** Never relative to wherever the daemon happened to be started. */
function socketPath(options: DaemonOptions, stored: string): Result<AbsolutePath, Denial> {
  const wanted = options.socket ?? options.env["COUNTERSIGN_SOCKET"] ?? stored;
  const expanded = wanted === "~" || wanted.startsWith("~/") ? `${homeOf(options)}${wanted.slice(1)}` : wanted;
  const parsed = parseAbsolutePath(expanded);
  if (parsed.ok) return parsed;
  return fail(denial("config.invalid", `the socket path \`${wanted}\` is not a plain absolute path; write it out in full`));
}
