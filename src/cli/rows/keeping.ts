import type { Command, Flag } from "../command.ts";

const WHICH_SERVICE: Readonly<Record<string, Flag>> = {
  user: { summary: "one user's own service: systemd --user, or launchd on macOS" },
  system: { summary: "a system service under an account of its own; the strong deployment" },
  root: { value: "DIR", summary: "write below DIR instead of /, for packages and images" },
};

export const KEEPING: readonly Command[] = [
  {
    name: "doctor",
    summary: "look at everything the daemon rests on, and say what to do",
    details: [
      "Owners, modes and links along the whole path to the state directory, the socket, the lock, native code, the clock, the disk, the " +
        "policy and the settings, the installed service, and allowlist entries that allow more than they seem to. Works without a daemon.",
      "--fix takes rights away from others where that is all it needs, and removes what a crash left. It never deletes, moves or gives " +
        "away anything else. Ends with 1 when something must be mended before the daemon works.",
    ],
    flags: {
      fix: { summary: "mend modes, and remove what a crash left" },
      config: { value: "FILE", summary: "the settings file, if it lies elsewhere ($COUNTERSIGN_CONFIG)" },
      root: { value: "DIR", summary: "look for installed services below DIR instead of /" },
    },
    load: () => import("../doctor/doctor.ts"),
  },
  {
    name: "install",
    summary: "install the daemon as a service",
    details: [
      "Writes hardened, socket-activated units and says which files it wrote and what to do next. Nothing is started, and a second time " +
        "changes nothing. A file that somebody else wrote is never replaced.",
      "With --system --run-as USER the daemon has an account of its own and commands run as USER: then a hostile agent can neither read " +
        "the daemon's tokens nor answer its own questions.",
    ],
    flags: {
      ...WHICH_SERVICE,
      "run-as": { value: "USER", summary: "with --system: run commands under this account" },
      strict: { summary: "with --system: add strict.conf, which confines commands further and says what it breaks" },
    },
    examples: [
      { line: "countersign install --user", does: "a service for yourself" },
      { line: "sudo countersign install --system --run-as agent", does: "the daemon as countersign, commands as agent" },
    ],
    load: async () => ({ run: (await import("../service/install.ts")).install }),
  },
  {
    name: "uninstall",
    summary: "remove what install wrote",
    details: [
      "Policy, tokens and log stay where they are. Files that install did not write stay too, and so do settings that were edited since.",
    ],
    flags: WHICH_SERVICE,
    load: async () => ({ run: (await import("../service/install.ts")).uninstall }),
  },
  {
    name: "completion",
    summary: "print completion for a shell, made from the command table",
    operands: [{ name: "SHELL", summary: "bash, zsh or fish", choices: ["bash", "zsh", "fish"] }],
    examples: [
      { line: "source <(countersign completion bash)", does: "in ~/.bashrc" },
      { line: 'countersign completion zsh > "${fpath[1]}/_countersign"', does: "once, for zsh" },
      { line: "countersign completion fish > ~/.config/fish/completions/countersign.fish", does: "once, for fish" },
    ],
    load: () => import("../completion/completion.ts"),
  },
  {
    name: "man",
    summary: "print a manual page, made from the command table",
    operands: [{ name: "SECTION", summary: "1 for the commands, 8 for the daemon and its files", optional: true, choices: ["1", "8"] }],
    examples: [{ line: "countersign man | man -l -", does: "read it here" }],
    load: () => import("../manual/man.ts"),
  },
];
