import { quoted } from "../analysis/quoted.ts";
import { type Denial, denial } from "../core/denial.ts";

/** Why the kernel would not start it, execve(2). Nothing ran. */
export function spawnDenial(errno: string, name: string): Denial {
  const details = { program: name, errno };
  switch (errno) {
    case "ENOENT":
      return denial("exec.not-found", `${quoted(name)} or the loader that it names is gone; install it again`, details);
    case "EACCES":
    case "ENOEXEC":
    case "EPERM":
      return denial("exec.not-executable", `${quoted(name)} cannot be executed here (${errno}); check its mode and its format`, details);
    case "ETXTBSY":
      return denial("exec.changed-after-start", `${quoted(name)} is being written to; let that finish and ask again`, details);
    case "E2BIG":
      return denial(
        "exec.spawn-failed",
        `the arguments and the environment of ${quoted(name)} are too long together; shorten them`,
        details,
      );
    default:
      return denial("exec.spawn-failed", `${quoted(name)} could not be started (${errno}); try again`, details);
  }
}
