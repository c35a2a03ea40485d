import { type Argv, toArgv } from "../core/argv.ts";
import { WRAPPER_DEPTH_MAX } from "../core/limits.ts";
import { type OptionSpec, readOptions } from "./options.ts";
import { programName } from "./program-name.ts";
import { quoted } from "./quoted.ts";
import { isShellName, shellUse } from "./shells.ts";

/** Programs whose whole purpose is to start another one. Which of them may be looked through, and how their own arguments end. */

interface Transparent extends OptionSpec {
  /** Operands of its own before the command: `timeout` has a duration. */
  readonly operands?: readonly RegExp[];
  /** `nice -5` predates getopt. */
  readonly numeric?: boolean;
  /** `stdbuf` starts nothing without one. */
  readonly needsOption?: boolean;
  /** Starting it once around each of several commands is the same as once around all of them. */
  readonly distributes: boolean;
}

const GNU: readonly (readonly [string, Transparent])[] = [
  ["nice", { valued: "n", flags: "", longValued: ["adjustment"], longFlags: [], abbreviates: true, numeric: true, distributes: true }],
  ["nohup", { flags: "", longFlags: [], distributes: true }],
  [
    "stdbuf",
    {
      valued: "ioe",
      flags: "",
      longValued: ["input", "output", "error"],
      longFlags: [],
      needsOption: true,
      abbreviates: true,
      distributes: true,
    },
  ],
  [
    "timeout",
    {
      valued: "ks",
      flags: "fpv",
      longValued: ["kill-after", "signal"],
      longFlags: ["foreground", "preserve-status", "verbose"],
      abbreviates: true,
      operands: [/^(?:\d+(?:\.\d*)?|\.\d+)[smhd]?$/],
      distributes: false,
    },
  ],
  // GNU `time -o` and `-a` write a file of the caller's choice, so they are left out and block.
  [
    "time",
    {
      valued: "f",
      flags: "hlpqv",
      longValued: ["format"],
      longFlags: ["portability", "quiet", "verbose"],
      abbreviates: true,
      distributes: false,
    },
  ],
  ["env", { flags: "", longFlags: [], distributes: true }],
];
/** Homebrew and the BSDs install GNU's under the same names with a `g` in front. */
const TRANSPARENT: ReadonlyMap<string, Transparent> = new Map(
  GNU.flatMap(([name, spec]): [string, Transparent][] => [
    [name, spec],
    [`g${name}`, spec],
  ]),
);

/** What they change decides whether an entry that names the arguments can ever cover them: user, name space and session never. */
const BLOCKED: ReadonlyMap<string, string> = new Map(
  [
    [
      "another user",
      "sudo sudoedit sudo-rs doas su su-rs pkexec runuser run0 setpriv sg newgrp gosu su-exec setuidgid s6-setuidgid s6-envuidgid chpst capsh runcon " +
        "sesu dzdo pfexec ksu super calife gksu gksudo kdesu kdesudo lxqt-sudo beesu please",
    ],
    [
      "another root or name space",
      "unshare nsenter chroot systemd-nspawn machinectl firejail bwrap proot fakeroot fakeroot-sysv fakeroot-tcp fakechroot flatpak-spawn toolbox " +
        "rootlesskit lxc-usernsexec lxc-unshare nsjail minijail0 schroot arch-chroot",
    ],
    [
      "another session",
      "setsid script systemd-run daemon daemonize start-stop-daemon dbus-run-session dbus-launch xvfb-run screen tmux tmate byobu zellij dtach abduco " +
        "unbuffer openvt s6-setsid",
    ],
    [
      "another schedule or platform",
      "ionice chrt taskset numactl schedtool cpulimit prlimit choom caffeinate arch setarch linux32 linux64 i386 x86_64 xcrun",
    ],
    ["another confinement", "sandbox-exec aa-exec systemd-inhibit softlimit s6-softlimit timelimit envdir s6-envdir envuidgid catchsegv"],
  ].flatMap(([what, names]) => (names ?? "").split(" ").map((name) => [name, what ?? ""] as const)),
);
const NEVER = new Set(["another user", "another root or name space", "another session"]);

/** `busybox-static` and `busybox.nosuid` are one too. */
export function isMultiplexer(name: string): boolean {
  return /^(?:busybox|toybox)(?:[-_.].*)?$/.test(name);
}

export type Unwrapped =
  | { readonly kind: "not-wrapper" }
  | { readonly kind: "unwrapped"; readonly wrapper: string; readonly argv: Argv }
  /** Recognised, and not to be looked through. `always`: not even an entry that names the arguments covers it. */
  | { readonly kind: "blocked"; readonly wrapper: string; readonly why: string; readonly always: boolean };

/** Peels at most one wrapper. The inner argv is always the end of the outer one. */
export function unwrapOne(argv: readonly string[]): Unwrapped {
  const wrapper = programName(argv[0] ?? "");
  if (argv.length === 0) return { kind: "not-wrapper" };
  if (isMultiplexer(wrapper)) return unwrapMultiplexer(argv, wrapper);
  const changes = BLOCKED.get(wrapper);
  if (changes !== undefined)
    return { kind: "blocked", wrapper, why: `${quoted(wrapper)} starts a command with ${changes}`, always: NEVER.has(changes) };
  const spec = TRANSPARENT.get(wrapper);
  if (spec === undefined) return { kind: "not-wrapper" };
  if (isEnv(wrapper)) return unwrapEnv(argv, wrapper);
  const inner = innerOf(argv, spec);
  return inner === null
    ? { kind: "blocked", wrapper, why: `${quoted(wrapper)} has an option that is not understood, or no command`, always: false }
    : { kind: "unwrapped", wrapper, argv: inner };
}

export function isDispatchWrapper(name: string): boolean {
  return TRANSPARENT.has(name) || BLOCKED.has(name);
}

export function distributes(wrapper: string): boolean {
  return TRANSPARENT.get(wrapper)?.distributes ?? false;
}

function innerOf(argv: readonly string[], spec: Transparent): Argv | null {
  const plain = spec.numeric === true && /^-\d+$/.test(argv[1] ?? "") ? argv.toSpliced(1, 1) : argv;
  const { operands, options, unknown } = readOptions(plain, spec);
  if (unknown !== null || (spec.needsOption === true && options.length === 0)) return null;
  const own = spec.operands ?? [];
  if (own.some((pattern, index) => !pattern.test(plain[operands + index] ?? ""))) return null;
  return toArgv(plain.slice(operands + own.length));
}

function unwrapMultiplexer(argv: readonly string[], wrapper: string): Unwrapped {
  const inner = toArgv(argv.slice(1));
  if (inner !== null && /^[a-z0-9[_.-]+$/i.test(inner[0]) && !inner[0].startsWith("-")) return { kind: "unwrapped", wrapper, argv: inner };
  return { kind: "blocked", wrapper, why: `${quoted(wrapper)} names no applet`, always: false };
}

export function isEnv(name: string): boolean {
  return name === "env" || name === "genv";
}

function unwrapEnv(argv: readonly string[], wrapper: string): Unwrapped {
  const prelude = envPrelude(argv);
  if (prelude === null)
    return { kind: "blocked", wrapper, why: `${quoted(wrapper)} has an option that is not understood, or no command`, always: false };
  if (prelude.modifies)
    return { kind: "blocked", wrapper, why: `${quoted(wrapper)} changes the environment of what it starts`, always: false };
  return { kind: "unwrapped", wrapper, argv: prelude.argv };
}

const ENV_OPTIONS: OptionSpec = {
  valued: "uCPLU",
  flags: "i0v",
  longValued: ["unset", "chdir", "block-signal", "default-signal", "ignore-signal", "argv0"],
  longFlags: ["ignore-environment", "null", "debug", "list-signal-handling"],
  abbreviates: true,
};

/** What `env` starts, and whether it starts it as it was. `null` where nothing is started or `-S` splits a text that we do not split. */
function envPrelude(argv: readonly string[]): { readonly argv: Argv; readonly modifies: boolean } | null {
  const { operands, options, unknown } = readOptions(argv, ENV_OPTIONS);
  if (unknown !== null) return null;
  let at = operands;
  if (argv[at] === "-") at += 1;
  while (/^[^=]+=/.test(argv[at] ?? "") || argv[at] === "=") at += 1;
  const inner = toArgv(argv.slice(at));
  return inner === null ? null : { argv: inner, modifies: at > operands || options.length > 0 };
}

export interface TrustPlan {
  /** Outermost first, each with the argv whose head it is. */
  readonly wrappers: readonly { readonly name: string; readonly argv: Argv }[];
  readonly argv: Argv;
  readonly blocked: { readonly wrapper: string; readonly why: string; readonly always: boolean } | null;
}

/** Peels until something is no wrapper, or must not be looked through. */
export function trustPlan(argv: Argv, depthMax: number = WRAPPER_DEPTH_MAX): TrustPlan {
  const wrappers: { name: string; argv: Argv }[] = [];
  let inner = argv;
  for (;;) {
    const step = unwrapOne(inner);
    if (step.kind === "not-wrapper") return { wrappers, argv: inner, blocked: null };
    if (step.kind === "blocked") return { wrappers, argv: inner, blocked: step };
    if (wrappers.length >= depthMax) {
      return {
        wrappers,
        argv: inner,
        blocked: { wrapper: step.wrapper, why: `wrappers are stacked more than ${WRAPPER_DEPTH_MAX} deep`, always: true },
      };
    }
    wrappers.push({ name: step.wrapper, argv: inner });
    inner = step.argv;
  }
}

/** The text that a shell under wrappers would run, whatever policy says about those wrappers; what is shown must not hide it. */
export function inlineCommandOf(argv: readonly string[]): string | null {
  const { inner } = peelForShow(argv);
  const use = inner === null ? null : shellUse(inner);
  return use?.kind === "text" && use.text.trim() !== "" ? use.text : null;
}

/** Whether an `env` on the way changes the environment of a shell that reads text. */
export function envPreludeModifies(argv: readonly string[]): boolean {
  const { inner, modifies } = peelForShow(argv);
  return modifies && inner !== null && isShellName(programName(inner[0]));
}

function peelForShow(argv: readonly string[]): { readonly inner: Argv | null; readonly modifies: boolean } {
  let inner = toArgv(argv);
  let modifies = false;
  for (let depth = 0; inner !== null && depth <= WRAPPER_DEPTH_MAX; depth += 1) {
    if (isEnv(programName(inner[0]))) {
      const prelude = envPrelude(inner);
      modifies ||= prelude?.modifies ?? false;
      inner = prelude?.argv ?? null;
      continue;
    }
    const step = unwrapOne(inner);
    if (step.kind !== "unwrapped") return { inner: step.kind === "blocked" ? null : inner, modifies };
    inner = step.argv;
  }
  return { inner: null, modifies };
}
