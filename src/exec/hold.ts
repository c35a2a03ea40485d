/** Opens and hashes everything that a plan will run, and keeps it open: what starts later is what was looked at here. */
import { closeSync, existsSync } from "node:fs";
import type { CommandPlan } from "../analysis/command-plan.ts";
import type { Evidence, HashedFile } from "../binding/evidence.ts";
import type { DirectoryIdentity } from "../binding/verify.ts";
import type { AbsolutePath } from "../core/absolute-path.ts";
import type { Denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Native } from "../native/native.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import type { Children } from "./child.ts";
import type { ExecHost } from "./exec-host.ts";
import { createHashing } from "./hashing.ts";
import { forget, type Held, type HeldDirectory, type HeldFile, remember } from "./held.ts";
import { countSealedBytes, DESCRIPTOR_FIRST, type Keeping, keepFile } from "./keep-file.ts";
import { createLeases } from "./leases.ts";
import { createSight, type Sight } from "./machine.ts";
import { commandsOf, needsOf } from "./needs.ts";
import { ioRefusal, openDirectory, refusal } from "./open-file.ts";

export interface HoldOptions {
  readonly children: Pick<Children, "identityOf">;
  readonly native: Native | null;
  /** Whether a read lease keeps a program's bytes until it runs, and the kernel keeps them from then on: the self-test's answer. */
  readonly leasesHold: boolean;
  readonly nowMs?: () => number;
}

export interface Holding extends Pick<ExecHost, "hold" | "release"> {
  /** Ends the thread that hashes; what is held stays held. */
  stop(): void;
}

export function createHold({ children, native, leasesHold, nowMs = Date.now }: HoldOptions): Holding {
  const keeping: Keeping = {
    native,
    leases: native !== null && leasesHold ? createLeases(native) : null,
    hashing: createHashing(nowMs),
    canPin: existsSync("/proc/self/fd"),
    sealed: countSealedBytes(),
  };
  function sightFor(settings: ExecSettings): Result<Sight, Denial> {
    const identity = children.identityOf(settings);
    if (!identity.ok) return identity;
    const { credentials, isOurselves } = identity.value;
    return ok(createSight({ child: credentials, isOurselves, native }));
  }

  return {
    stop: () => keeping.hashing.stop(),
    async hold(plan, settings, child) {
      const sight = child === undefined ? sightFor(settings) : ok(child.sight);
      if (!sight.ok) return sight;
      const grip: Grip = { directories: new Map(), files: new Map() };
      let holds = false;
      try {
        const evidence = await takeHold(plan, grip, sight.value, keeping);
        if (evidence.ok) remember(evidence.value, grip);
        holds = evidence.ok;
        return evidence;
      } finally {
        if (!holds) letGo(grip, keeping);
      }
    },
    release(evidence) {
      const held = forget(evidence);
      if (held !== undefined) letGo(held, keeping);
    },
  };
}

/** What is held so far. Everything that is opened goes in here at once, so that nothing stays open when a later part fails. */
interface Grip extends Held {
  readonly directories: Map<AbsolutePath, HeldDirectory>;
  readonly files: Map<AbsolutePath, HeldFile>;
}

async function takeHold(plan: CommandPlan, grip: Grip, sight: Sight, keeping: Keeping): Promise<Result<Evidence, Denial>> {
  const cwd = holdDirectory(plan.cwd, grip, sight, keeping);
  if (!cwd.ok) return cwd;
  for (const path of directoriesOf(plan)) {
    const directory = holdDirectory(path, grip, sight, keeping);
    if (!directory.ok) return directory;
  }
  for (const need of needsOf(plan, sight).values()) {
    const file = await keepFile(need, sight, keeping);
    if (!file.ok) return file;
    grip.files.set(need.path, file.value);
  }
  const hashed = (path: AbsolutePath): HashedFile => {
    const file = grip.files.get(path);
    if (file === undefined) throw new Error("a file of the plan was not held");
    return { path, sha256: file.sha256 };
  };
  return ok({
    cwd: { path: plan.cwd, ...cwd.value },
    executable: hashed(plan.executable.realPath),
    nested: plan.nested.map(({ realPath }) => hashed(realPath)),
    files: plan.files.map(({ argvIndex, path }) => ({ argvIndex, ...hashed(path) })),
  });
}

function holdDirectory(path: AbsolutePath, grip: Grip, sight: Sight, { native }: Keeping): Result<DirectoryIdentity, Denial> {
  const named = { path, field: "cwd" };
  const opened = openDirectory(named, sight.walker.sawAt(path));
  if (!opened.ok) return opened;
  const { fd, stats } = opened.value;
  try {
    const owned = { mode: Number(stats.mode), uid: Number(stats.uid), gid: Number(stats.gid) };
    if (!sight.mayEnter(`/proc/self/fd/${fd}`, owned)) {
      return fail(refusal(named, "is not a directory the command could start in; let its user enter it", "exec.cwd-invalid"));
    }
    grip.directories.set(path, { path, fd: native === null ? fd : native.duplicateFrom(fd, DESCRIPTOR_FIRST) });
    return ok({ device: String(stats.dev), inode: String(stats.ino) });
  } catch (error) {
    return fail(ioRefusal(named, error, "exec.cwd-invalid"));
  } finally {
    if (grip.directories.get(path)?.fd !== fd) closeSync(fd);
  }
}

/** Where the parts of a command start, apart from the command itself. */
function directoriesOf(plan: CommandPlan): ReadonlySet<AbsolutePath> {
  const found = new Set(commandsOf(plan).map(({ cwd }) => cwd));
  found.delete(plan.cwd);
  return found;
}

function letGo({ directories, files }: Held, { leases, sealed }: Keeping): void {
  for (const { fd } of directories.values()) closeSync(fd);
  for (const { fd, kept, bytes } of files.values()) {
    if (kept === "lease") leases?.drop(fd);
    if (kept === "seal") sealed.free(bytes);
    closeSync(fd);
  }
}
