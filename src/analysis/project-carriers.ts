import type { Carrier } from "./carrier.ts";

/** Package managers, version control and the tools of a project: what they may start depends on the sub-command more than on options. */
export const PROJECT_CARRIERS: readonly Carrier[] = [
  {
    names: "dpkg dpkg-deb rpm rpmbuild rpmquery rpmdb rpmverify",
    short: "iUeFPED",
    long: "install unpack configure remove purge pre-invoke post-invoke status-logger eval define macros rcfile load pipe import upgrade erase triggers-only",
    source: "GTFOBins dpkg, rpm, rpmdb, rpmverify",
  },
  {
    names: "apt apt-get aptitude apt-cache",
    safe: "list search show policy depends rdepends showsrc",
    harmless: "-q -qq",
    short: "oc",
    long: "option config-file",
    source: "GTFOBins apt; apt.conf(5) hooks",
  },
  {
    names: "yum dnf zypper pacman apk snap flatpak brew port",
    safe: "list info search ls show leaves deps",
    short: "c",
    long: "setopt config plugin pluginpath installroot",
    // brew(1) loads a formula that it is given by path.
    operand: /^[./~]|\.rb$/,
    source: "GTFOBins yum, dnf, pacman, snap",
  },
  {
    names: "systemctl loginctl",
    safe: "status is-active is-enabled is-failed list-units list-unit-files list-timers list-sockets show cat",
    harmless: "--user --no-pager --system --all -a --quiet -q",
    short: "HM",
    long: "host machine root image",
    source: "GTFOBins systemctl; -H starts ssh",
  },
  {
    names: "docker podman nerdctl",
    safe:
      "ps images inspect logs version info stats top port diff history search events container image network volume system " +
      "compose&ps compose&logs compose&images compose&ls compose&top compose&version",
    words: "run exec create build start restart cp commit load import prune rm rmi kill stop",
    source: "GTFOBins docker",
  },
  { names: "docker-compose podman-compose", safe: "ps logs config images version ls", source: "compose documentation" },
  {
    names: "kubectl oc helm k9s kustomize",
    safe: "get describe logs top version api-resources api-versions explain cluster-info list status history search",
    long: "kubeconfig exec-command post-renderer",
    source: "GTFOBins kubectl",
  },
  { names: "terraform tofu pulumi", safe: "version fmt", source: "GTFOBins terraform" },
  {
    names: "npm",
    safe: "ls list ll la view info show outdated search ping whoami root prefix bin explain why audit&$ audit&--json audit&signatures",
    harmless: "--silent -s --json",
    long: "git script-shell node-options userconfig globalconfig browser editor viewer shell init-module prefix",
    except: "--global --g",
    source: "GTFOBins npm; npm-scripts(7); npm-config(7) git, browser, viewer",
  },
  {
    names: "pnpm yarn bun yarnpkg",
    safe: "ls list why outdated info view licenses audit&$ audit&--json",
    harmless: "--silent -s",
    long: "script-shell config use-yarnrc",
    source: "pnpm.io, yarnpkg.com, bun.sh",
  },
  { names: "pip easy_install", safe: "list show freeze check index", long: "python log cache-dir", source: "GTFOBins pip; pip --python" },
  {
    names: "gem composer mix cabal stack opam luarocks cpanminus",
    safe: "list search show info env environment outdated",
    long: "eval require config-file",
    source: "GTFOBins gem, composer",
  },
  {
    names: "cargo",
    // Not `metadata` and `tree`: they start the compiler that `.cargo/config.toml` names.
    safe: "version search locate-project pkgid",
    long: "config",
    source: "Cargo build scripts; cargo --config; build.rustc of the Cargo book",
  },
  {
    names: "go",
    safe: "version env doc help",
    long: "toolexec exec vettool",
    begins: "-toolexec -exec -vettool -overlay -C",
    words: "-w -u",
    source: "go help build; go env -w GOFLAGS",
  },
  { names: "dotnet", safe: "--info --version --list-sdks --list-runtimes", source: "dotnet run, msbuild tasks" },
  {
    names: "gh hub glab",
    safe: "api issue status search label release run workflow auth gist project ruleset cache variable pr&list pr&view pr&status pr&diff pr&checks repo&view repo&list",
    words: "checkout --checkout develop clone --web -w --editor -e edit extension alias browse",
    source: "gh alias, gh extension, gh pr checkout (hooks)",
  },
  { names: "git", long: "output", does: "writes a file", source: "git-diff(1) --output" },
  {
    names: "git",
    safe:
      "status log diff show branch tag rev-parse rev-list ls-files ls-tree blame annotate describe shortlog reflog cat-file merge-base name-rev " +
      "show-ref for-each-ref symbolic-ref grep count-objects version whatchanged cherry check-ignore check-attr check-mailmap hash-object " +
      "diff-tree diff-index diff-files range-diff format-patch patch-id add rm mv restore reset clean var verify-commit verify-tag fsck " +
      "remote&$ remote&-v&$ remote&get-url config&--get config&--list config&-l config&--get-all config&get config&list stash&list stash&show worktree&list " +
      "notes&list notes&show submodule&status bisect&log sparse-checkout&list",
    harmless:
      "--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --icase-pathspecs --glob-pathspecs --noglob-pathspecs",
    short: "O",
    long: "exec-path config-env upload-pack receive-pack exec ext-diff textconv open-files-in-pager template edit interactive remote",
    except: "--text",
    operand: /^[a-z][a-z0-9+.-]*::/i,
    source: "GTFOBins git; githooks(5); gitremote-helpers(7); git-config(1) alias, core.pager, diff.external",
  },
  {
    names: "svn",
    safe: "status log diff info cat blame annotate list ls",
    harmless: "-q --quiet",
    long: "config config-file editor-cmd diff-cmd diff3-cmd config-dir config-option tool",
    source: "GTFOBins svn",
  },
  {
    names: "esbuild swc biome tsc",
    short: "r",
    long: "config plugin config-path require import loader",
    except: "--import-meta",
    source: "each tool's `--config`, `--plugin`",
  },
  {
    names: "black ruff isort",
    long: "config-file rcfile load-plugins plugin config",
    source: "each tool's `--config`",
  },
  {
    names: "gcloud aws az heroku flyctl fly vercel netlify",
    words: "ssh scp exec run local dev build console shell attach tunnel execute-command start-session extension plugin plugins components",
    source: "each tool's documentation",
  },
];
