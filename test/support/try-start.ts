/** A start that may be refused: what was said, the exit code, or the daemon that runs. */
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "./daemon.ts";

export type Start = { readonly running: TestDaemon } | { readonly exitCode: number | null; readonly log: string };

export async function tryStart(options: TestDaemonOptions): Promise<Start> {
  try {
    return { running: await startTestDaemon(options) };
  } catch (error) {
    const [, code, log] = /^the daemon ended with (\d+|null):\n([\s\S]*)$/.exec(error instanceof Error ? error.message : "") ?? [];
    if (code === undefined || log === undefined) throw error;
    return { exitCode: code === "null" ? null : Number(code), log };
  }
}
