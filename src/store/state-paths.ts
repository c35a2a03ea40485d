/** Where the state directory lies and what is called what in it. Looks at nothing: the surroundings come in as arguments. */
import { resolve } from "node:path";
import { type AbsolutePath, parseAbsolutePath, resolvePath } from "../core/absolute-path.ts";
import { type Denial, denial } from "../core/denial.ts";
import { fail, type Result } from "../core/result.ts";

export interface Surroundings {
  /** `--state-dir`; relative to `cwd`, like every path a person types. */
  readonly flag?: string | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  readonly home: string;
  readonly cwd: string;
}

export interface StatePaths {
  readonly directory: AbsolutePath;
  readonly document: AbsolutePath;
  readonly socket: AbsolutePath;
  readonly operatorToken: AbsolutePath;
  readonly settings: AbsolutePath;
  readonly approvals: AbsolutePath;
  readonly audit: AbsolutePath;
  /** Held by the one daemon that works here. */
  readonly lock: AbsolutePath;
  /** HS256, for approval tokens of our own. */
  readonly tokenKey: AbsolutePath;
  readonly hostId: AbsolutePath;
  /** Public keys of gateways that may decide elsewhere. */
  readonly trust: AbsolutePath;
}

export function chooseStateDirectory({ flag, env, home, cwd }: Surroundings): Result<AbsolutePath, Denial> {
  if (flag !== undefined) return flag === "" ? fail(notAbsolute("--state-dir", flag)) : absolute("--state-dir", resolve(cwd, flag));
  const own = env["COUNTERSIGN_STATE_DIR"];
  if (own !== undefined && own !== "") return absolute("$COUNTERSIGN_STATE_DIR", own);
  // The XDG base directory specification has relative values ignored.
  const xdg = env["XDG_STATE_HOME"];
  if (xdg?.startsWith("/") === true) return absolute("$XDG_STATE_HOME", resolve(xdg, "countersign"));
  return absolute("the home directory", `${home}/.local/state/countersign`);
}

export function statePaths(directory: AbsolutePath): StatePaths {
  const at = (name: string): AbsolutePath => resolvePath(directory, name);
  return {
    directory,
    document: at("exec-approvals.json"),
    socket: at("exec-approvals.sock"),
    operatorToken: at("operator.token"),
    settings: at("countersign.json5"),
    approvals: at("approvals"),
    audit: at("audit"),
    lock: at("daemon.lock"),
    tokenKey: at("approval-token.key"),
    hostId: at("host-id"),
    trust: at("trust.json"),
  };
}

function absolute(source: string, text: string): Result<AbsolutePath, Denial> {
  const parsed = text.startsWith("/") ? parseAbsolutePath(resolve(text)) : fail("not-absolute");
  return parsed.ok ? parsed : fail(notAbsolute(source, text));
}

function notAbsolute(source: string, text: string): Denial {
  return denial("config.invalid", `the state directory \`${text}\` from ${source} is not an absolute path; give one that starts with /`, {
    source,
  });
}
