/** What systemd hands over and wants to hear: a listening socket, sd_listen_fds(3), and how we are, sd_notify(3). */
import type { Server } from "node:net";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";

export interface HandOver {
  /** The descriptor to listen on, or `null` to open one's own. */
  readonly listenFd: number | null;
  readonly notifySocket: string | null;
  readonly watchdogMs: number | null;
}

const FIRST_FD = 3;
const NAMES = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const;

/** Reads it once and takes it out of the environment, whatever it says: no child may take itself for the service. */
export function takeHandOver(environment: NodeJS.ProcessEnv): Result<HandOver, Denial> {
  const given = Object.fromEntries(NAMES.map((name) => [name, environment[name]]));
  for (const name of NAMES) delete environment[name];
  const isOurs = (pid: string | undefined): boolean => pid === String(process.pid);
  const count = isOurs(given["LISTEN_PID"]) ? Number(given["LISTEN_FDS"] ?? "0") : 0;
  if (!Number.isInteger(count) || count < 0 || count > 1) {
    return fail(denial("config.invalid", "one socket is served and systemd hands over another number; see the socket unit"));
  }
  const watchdog = given["WATCHDOG_PID"] === undefined || isOurs(given["WATCHDOG_PID"]) ? Number(given["WATCHDOG_USEC"] ?? "0") : 0;
  return ok({
    listenFd: count === 1 ? FIRST_FD : null,
    notifySocket: given["NOTIFY_SOCKET"] || null,
    watchdogMs: watchdog > 0 ? watchdog / 1000 : null,
  });
}

/** The unit made the socket, so its path and mode are the unit's business, and the name outlives us. */
export function listenOn(server: Server, fd: number): Promise<Result<null, Denial>> {
  return new Promise((settle) => {
    server.once("error", (error) =>
      settle(fail(denial("config.invalid", `the socket from systemd cannot be served: ${error.message}; see the socket unit`))),
    );
    server.listen({ fd }, () => {
      const address = server.address();
      // Of a Unix socket that was handed over Node knows no address; one with a port could be reached from anywhere.
      if (address === null || typeof address === "string") return settle(ok(null));
      server.close();
      settle(fail(denial("config.invalid", "the socket from systemd is not a Unix socket; see the socket unit")));
    });
  });
}

export interface Notifier {
  ready(): void;
  reloading(): void;
  stopping(): void;
  status(text: string): void;
  /** Stops the heartbeat. */
  close(): void;
}

/** Starts `systemd-notify` with these assignments; the unit then needs NotifyAccess=all. */
export type NotifyFallback = (notifySocket: string, assignments: readonly string[]) => void;

/** Says nothing when nobody listens. Failures are not ours to mend: systemd notices silence by itself. */
export function notifierOf(handOver: HandOver, native: Native | null, fallback: NotifyFallback | null): Notifier {
  const tell = (...assignments: readonly string[]): void => {
    if (handOver.notifySocket === null) return;
    if (native !== null) native.sendDatagram(handOver.notifySocket, Buffer.from(assignments.join("\n"), "utf8"));
    else fallback?.(handOver.notifySocket, assignments);
  };
  // Twice per period, as sd_watchdog_enabled(3) recommends: a loop that is stuck cannot say that it is well.
  const heartbeat = handOver.watchdogMs === null ? null : setInterval(() => tell("WATCHDOG=1"), handOver.watchdogMs / 2).unref();
  return {
    ready: () => tell("READY=1"),
    // Type=notify-reload wants to know when, on CLOCK_MONOTONIC, which is what hrtime reads on Linux.
    reloading: () => tell("RELOADING=1", `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`),
    stopping: () => tell("STOPPING=1"),
    status: (text) => tell(`STATUS=${text.replaceAll("\n", " ")}`),
    close: () => {
      if (heartbeat !== null) clearInterval(heartbeat);
    },
  };
}
