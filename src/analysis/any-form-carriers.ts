import type { Carrier } from "./carrier.ts";

/** Programs that carry in whatever form they are called: an entry for the path alone never covers them. */
const STARTS = "starts the command it is given";
const ESCAPES = "has commands of its own that start programs";
const PROJECT = "runs what the project's own files say";

/** Names, what they do, and where that is written down. */
const ROWS: readonly (readonly [string, string, string])[] = [
  ["xargs gxargs parallel sem rush", STARTS, "GTFOBins xargs; parallel(1)"],
  ["watch viddy entr watchexec reflex nodemon chokidar fswatch inotifywait", STARTS, "GTFOBins watch; entr(1)"],
  ["flock setlock lockfile-exec lckdo", STARTS, "GTFOBins flock"],
  ["ssh slogin sshpass autossh mosh rsh rlogin rexec dbclient plink ssh-agent sshfs", STARTS, "GTFOBins ssh; ssh_config(5) ProxyCommand"],
  ["sftp ftp lftp ncftp telnet tnftp", ESCAPES, "GTFOBins ftp, lftp, telnet"],
  ["socat socat1 websocat", "can start programs at either end", "GTFOBins socat"],
  [
    "strace ltrace gdb gdb-multiarch lldb rr valgrind perf dtrace bpftrace uftrace ftrace cgdb catchsegv",
    STARTS,
    "GTFOBins strace, ltrace, gdb, valgrind",
  ],
  [
    "rlwrap expect autoexpect unbuffer faketime proxychains proxychains4 torsocks torify tsocks pipemeter",
    STARTS,
    "GTFOBins rlwrap, expect",
  ],
  ["vim vi view vimdiff rvim rview evim gvim nvim neovim ex vim.basic vim.tiny vim.nox vim.gtk3 elvis nvi vile", ESCAPES, "GTFOBins vim"],
  [
    "nano pico rnano joe jstar jmacs micro hx helix kak emacs emacsclient mg jove mcedit mc ed red ne zile sensible-editor editor",
    ESCAPES,
    "GTFOBins nano, emacs, ed",
  ],
  ["less zless bzless xzless more zmore most pg pager lv sensible-pager bat batcat", ESCAPES, "GTFOBins less, more, pg, batcat"],
  ["man info pydoc perldoc ri apropos", "starts a pager or loads modules", "GTFOBins man, perldoc, pydoc"],
  [
    "mysql mariadb psql sqlite3 sqlite duckdb mongo mongosh sqlplus isql tsql usql pgcli mycli cqlsh",
    ESCAPES,
    "GTFOBins mysql, psql, sqlite3",
  ],
  ["irb pry rails rake bundle bundler spring foreman overmind hivemind honcho", PROJECT, "GTFOBins irb, bundle, rake"],
  [
    "make gmake bmake pmake remake mk ninja samu cmake ctest meson scons waf bazel bazelisk buck2 b2 tup just task mage",
    PROJECT,
    "GTFOBins make, scons; cmake(1)",
  ],
  [
    "gradle gradlew mvn mvnw ant sbt mill lein boot java jrunscript jjs javaw jshell",
    "loads and runs code by name",
    "GTFOBins jrunscript, jjs",
  ],
  [
    "gulp grunt webpack vite rollup parcel turbo nx lerna wrangler pm2 forever concurrently npm-run-all cross-env env-cmd dotenv dotenvx",
    PROJECT,
    "each tool's documentation",
  ],
  [
    "tox nox pytest py.test behave invoke fab ansible ansible-playbook ansible-console ansible-test ansible-pull salt salt-call puppet chef-client",
    PROJECT,
    "GTFOBins ansible-playbook, puppet; pytest conftest.py",
  ],
  [
    "vagrant packer terragrunt lxc lxc-attach lxc-execute incus multipass virt-customize distrobox wsl",
    STARTS,
    "GTFOBins; vendor documentation",
  ],
  [
    "nix nix-shell nix-build guix devbox direnv asdf mise rtx pyenv rbenv nodenv volta rustup conda mamba micromamba pipx pipenv poetry pdm hatch rye uv uvx",
    "starts programs of an environment that it builds",
    "each tool's documentation",
  ],
  ["aws-vault chamber doppler infisical teller op sops envchain summon", STARTS, "each tool's `exec` or `run`"],
  [
    "crontab at batch atq run-parts run-mailcap xdg-open open gio see start-stop-daemon logrotate",
    "starts programs now or later",
    "GTFOBins crontab, at, run-parts, run-mailcap",
  ],
  ["xterm uxterm rxvt urxvt gnome-terminal konsole alacritty kitty foot st xfce4-terminal terminator", STARTS, "xterm(1) -e"],
  [
    "latex pdflatex xelatex lualatex tex pdftex luatex latexmk context dvips metapost mpost bibtex8",
    "may run shell commands from its input",
    "GTFOBins pdflatex, dvips",
  ],
  ["mutt neomutt mail mailx s-nail heirloom-mailx alpine sendmail exim procmail fetchmail", ESCAPES, "GTFOBins mail, neomutt"],
  ["vipw vigr visudo sudoedit chsh", "starts an editor or changes a shell", "vipw(8)"],
  ["gimp inkscape blender soffice libreoffice lowriter localc gdal_calc.py freecad", "runs scripts and macros", "GTFOBins gimp"],
  ["rename prename file-rename perl-rename cpan cpanm pip-run ipython3", "takes program text", "rename(1p); GTFOBins cpan"],
  ["awk gawk mawk nawk original-awk goawk", "takes program text that can start programs", "GTFOBins awk"],
  [
    "chromium chrome google-chrome firefox electron code cursor subl",
    "loads extensions and starts helpers that its options name",
    "chromium --renderer-cmd-prefix",
  ],
  ["npx bunx pnpx", "starts a program of a package, fetched if need be", "npx(1)"],
  ["deno", PROJECT, "deno.com"],
  ["xdotool wmctrl dbus-send gdbus busctl", "talks to programs that act on its word", "xdotool(1) exec"],
];

export const ANY_FORM_CARRIERS: readonly Carrier[] = ROWS.map(([names, any, source]) => ({ names, any, source }));
