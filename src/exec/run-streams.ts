import type { Denial } from "../core/denial.ts";
import type { ChildStatus } from "../native/native.ts";
import type { Start } from "./start.ts";

/** Where the processes of one run read from and write to, and the way to start one there. */
export interface RunStreams {
  /** A promise is of something that is being started and cannot be taken back: everything it was given must stay open until it answers. */
  start(start: Start, ends: Ends, manner: Manner): Started | Denial | Promise<Started | Denial>;
  /** A real kernel pipe: a writer waits for its reader, and hears SIGPIPE when that has gone. */
  pipe(): Pipe;
  readonly stdin: number;
  /** `/dev/null`. */
  readonly nothing: number;
  /** A line of the daemon's own among the run's error output. */
  complain(message: string): void;
  /** No more processes will be started: from now on the streams end when the last one that writes to them has ended. */
  closeWriting(): void;
  /** Takes what lies there without waiting for the next turn of the loop. */
  readNow(): void;
  haveEnded(): boolean;
  /** Everything that was read is still on its way to somebody slow. */
  waitForReader(): boolean;
  whenEnded(): Promise<void>;
  abandon(): void;
}

/** `may-be-beside`: nothing has to be looked at in the very moments before and after. */
export type StartedHow = "at-once" | "may-be-beside";

export interface Manner {
  readonly how: StartedHow;
  /** Asked right before the start, which may have had to wait. */
  readonly objection: () => Denial | null;
  /** Of the run, see LivingRun. */
  readonly mark: number;
}

/** Descriptors of ours; `"output"` is the run's own. */
export interface Ends {
  readonly stdin: number;
  readonly stdout: number | "output";
}

export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

export interface Started {
  readonly pid: number;
  readonly ended: Promise<ChildStatus>;
}
