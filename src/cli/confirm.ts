import { createInterface } from "node:readline/promises";
import { type CommandCall, UsageError } from "./command.ts";

/** Silence is a no, and so is a pipe: somebody who cannot be asked must have said --yes. */
export async function confirmed(call: CommandCall, question: string): Promise<boolean> {
  const { io } = call;
  if (call.has("dry-run")) return false;
  if (call.has("yes")) return true;
  if (!io.stdin.isTTY || !io.stderr.isTTY) throw new UsageError("nobody can be asked here; look with --dry-run, then say --yes");
  const prompt = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^\s*y(es)?\s*$/i.test(await prompt.question(`${question} [y/N] `, { signal: io.signal }));
  } catch {
    return false;
  } finally {
    prompt.close();
  }
}
