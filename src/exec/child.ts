/** Who the child is, and what it is given before anybody overrides anything. */
import { userInfo } from "node:os";
import { quoted } from "../analysis/quoted.ts";
import { type AbsolutePath, ROOT, resolvePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { canBecome } from "../native/become.ts";
import type { Native } from "../native/native.ts";
import type { ExecSettings } from "../policy/exec-settings.ts";
import { type Account, type Accounts, createAccounts } from "./accounts.ts";
import { createChildPaths } from "./child-path.ts";
import { type Credentials, ownCredentials } from "./credentials.ts";
import type { Child } from "./exec-host.ts";
import { createFirstLines } from "./first-lines.ts";
import { createMachine, createSight } from "./machine.ts";

export interface Children {
  /** Looks at everything anew. What was worked out from the same looks before is not worked out again. */
  childOf(settings: ExecSettings): Result<Child, Denial>;
  /** Who the kernel will take the child for, and whether that is ourselves. */
  identityOf(settings: ExecSettings): Result<ChildIdentity, Denial>;
}

export interface ChildIdentity {
  readonly credentials: Credentials;
  readonly isOurselves: boolean;
  /** `null` unless `tools.exec.runAs` names somebody. */
  readonly account: Account | null;
}

export interface ChildrenOptions {
  readonly atStart: Readonly<Record<string, string | undefined>>;
  readonly stateDirectory: AbsolutePath;
  readonly native: Native | null;
  readonly accounts?: Accounts;
  readonly ourselves?: Credentials;
}

/** Places that belong to the daemon's own user, of no use to another. */
const OURS_ALONE = ["TMPDIR", "XDG_RUNTIME_DIR"];

export function createChildren(options: ChildrenOptions): Children {
  const { atStart, stateDirectory, native } = options;
  const accounts = options.accounts ?? createAccounts();
  const ourselves = options.ourselves ?? ownCredentials();
  const home = homeOf(atStart["HOME"]);
  const paths = createChildPaths(atStart["PATH"]);
  const firstLines = createFirstLines(Date.now);
  const withoutOurs = Object.fromEntries(Object.entries(atStart).filter(([name]) => !OURS_ALONE.includes(name)));

  function identityOf({ runAs }: ExecSettings): Result<ChildIdentity, Denial> {
    if (runAs === undefined) return ok({ credentials: ourselves, isOurselves: true, account: null });
    if (ourselves.uid !== 0)
      return refuse(`\`tools.exec.runAs\` needs a daemon that runs as root; start it as root or leave \`runAs\` out`, runAs);
    // Peers of another user are told apart by native code as well, so a daemon that serves them has it.
    if (native === null || !canBecome)
      return refuse("`tools.exec.runAs` needs native code to become another user; install koffi or leave `runAs` out", runAs);
    const account = accounts.named(runAs);
    if (account === null)
      return refuse(`\`tools.exec.runAs\` names ${quoted(runAs)}, who is not in /etc/passwd; name a user who is`, runAs);
    return ok({ credentials: account, isOurselves: false, account });
  }

  return {
    identityOf,
    childOf(settings) {
      const identity = identityOf(settings);
      if (!identity.ok) return identity;
      const { credentials, isOurselves, account } = identity.value;
      const sight = createSight({ child: credentials, isOurselves, native });
      const path = paths.of(settings, identity.value, sight);
      if (!path.ok) return path;
      const lives = account?.home ?? home;
      const machine = createMachine(path.value, { home: lives, stateDirectory }, sight, firstLines);
      const names = account === null ? {} : { HOME: account.home, USER: account.name, LOGNAME: account.name, SHELL: account.shell };
      return ok({ machine, sight, path: path.value, identity: names, home: lives, atStart: account === null ? atStart : withoutOurs });
    },
  };
}

function refuse(message: string, runAs: string): Result<never, Denial> {
  return fail(denial("config.invalid", message, { key: "tools.exec.runAs", runAs }));
}

/** As at start; without a usable HOME, where passwd(5) says that we live. */
function homeOf(text: string | undefined): AbsolutePath {
  const usable = [text, userInfo().homedir].find((candidate) => candidate?.startsWith("/") === true && !candidate.includes("\0"));
  return resolvePath(ROOT, usable ?? "/");
}
