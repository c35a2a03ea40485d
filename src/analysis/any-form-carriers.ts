import type { Carrier } from "./carrier.ts";

/** Programs that carry in whatever form they are called: an entry for the path alone never covers them. */
const STARTS = "starts the command it is given";
const ESCAPES = "has commands of its own that start programs";
const PROJECT = "runs what the project's own files say";

/** Names, what they do, and where that is written down. */
const ROWS: readonly (readonly [string, string, string])[] = [
  ["xargs gxargs parallel sem rush", STARTS, "GTFOBins xargs; parallel(1)"],
  ["watch viddy entr watchexec reflex nodemon chokidar fswatch inotifywait incrond", STARTS, "GTFOBins watch; entr(1)"],
  ["command builtin exec eval", "does what the shell's own command of that name does", "POSIX.1-2024, command"],
  ["chronic ifne pee mispipe zrun vipe vidir sponge-run", STARTS, "moreutils: chronic(1), ifne(1), pee(1)"],
  [
    "hyperfine multitime logsave pexec grc gtester distcc ccache sccache icecc",
    STARTS,
    "GTFOBins multitime, logsave, pexec, grc, gtester, distcc",
  ],
  [
    "tini dumb-init catatonit s6-svscan runsv runsvdir svscan supervise execlineb supervisord monit circusd",
    STARTS,
    "each one's manual page",
  ],
  [
    "keyctl eatmydata datefudge padsp optirun primusrun vglrun gamemoderun mangohud startx xinit sshuttle",
    STARTS,
    "keyctl(1) session; each one's manual page",
  ],
  ["msgfilter msgexec", STARTS, "GTFOBins msgfilter; msgexec(1)"],
  [
    "qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 qemu-system-x86_64 qemu-system-aarch64 wine wine64 mono box64 box86 dosbox wasmtime wasmer wasmedge wasm3",
    "runs the program it is given",
    "each one's manual page",
  ],
  ["ldd", "may start the program it looks at", "ldd(1), Security"],
  ["flock setlock lockfile-exec lckdo", STARTS, "GTFOBins flock"],
  [
    "ssh slogin ssh-argv0 sshpass autossh mosh rsh rlogin rexec dbclient plink ssh-agent ssh-copy-id sshfs pssh pdsh clusterssh cssh",
    STARTS,
    "GTFOBins ssh; ssh_config(5) ProxyCommand",
  ],
  ["sftp psftp ftp lftp ncftp telnet tnftp minicom cu picocom", ESCAPES, "GTFOBins ftp, lftp, telnet, psftp, minicom"],
  ["w3m elinks links links2 lynx browsh", ESCAPES, "GTFOBins elinks, w3m, lynx"],
  ["nnn ranger vifm lf yazi tig lazygit gitui cscope", ESCAPES, "GTFOBins cscope; each one's key for a shell"],
  [
    "aspell ispell scanmem slsh tasksh tdbtool ginsh hping3 crash bconsole knife virsh zathura perlbug msfconsole sqlmap rtorrent",
    ESCAPES,
    "GTFOBins",
  ],
  [
    "i3-msg swaymsg hyprctl awesome-client rofi dmenu_run sxhkd xbindkeys swayidle xss-lock scrot feh",
    STARTS,
    "GTFOBins scrot; each one's manual page",
  ],
  ["socat socat1 websocat", "can start programs at either end", "GTFOBins socat"],
  [
    "strace ltrace gdb gdb-multiarch gdbserver lldb lldb-server rr valgrind perf dtrace bpftrace uftrace ftrace cgdb catchsegv pdb byebug jdb dlv",
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
    "make gmake bmake pmake remake mk ninja samu cmake ctest cpack meson scons waf bazel bazelisk buck2 b2 tup just task mage",
    PROJECT,
    "GTFOBins make, scons; cmake(1)",
  ],
  ["gradle gradlew mvn mvnw ant sbt mill lein boot java jrunscript jjs javaw", "loads and runs code by name", "GTFOBins jrunscript, jjs"],
  [
    "gulp grunt webpack vite rollup parcel turbo nx lerna wrangler pm2 forever concurrently npm-run-all run-s run-p cross-env env-cmd dotenv dotenvx",
    PROJECT,
    "each tool's documentation",
  ],
  [
    "eslint stylelint prettier jest vitest mocha ava tap karma jasmine nyc c8 babel tsup playwright cypress commitlint lint-staged knip typedoc jsdoc postcss " +
      "tailwindcss next nuxt astro remix gatsby eleventy docusaurus ng expo eas react-native storybook prisma drizzle-kit knex sequelize typeorm " +
      "ncu npm-check-updates depcheck madge size-limit changeset release-it np standard-version svelte-check svelte-kit vue-tsc vue-cli-service ember ionic cap tsc-watch " +
      "tsdown rolldown rspack rsbuild rslib unbuild microbundle ncc nexe electron-builder electron-forge electron-vite serverless sls sst cdk cdktf amplify firebase " +
      "graphql-codegen relay-compiler plop hygen yo oxlint wdio nightwatch detox metro hardhat truffle forge anchor",
    PROJECT,
    "each tool reads a configuration file of the project that is code",
  ],
  [
    "mypy pylint flake8 rubocop standardrb sphinx-build mkdocs jekyll doxygen dbt",
    PROJECT,
    "pylint --init-hook; mypy plugins; rubocop require; doxygen INPUT_FILTER",
  ],
  [
    "pre-commit lefthook husky overcommit act earthly dagger skaffold tilt fastlane pod flutter xcodebuild buf semantic-release",
    PROJECT,
    "each tool's documentation",
  ],
  ["autoconf autoreconf automake aclocal autoheader autom4te libtoolize", PROJECT, "autoconf(1): m4 with syscmd"],
  [
    "javac javadoc kotlinc scalac groovyc ghc ghci cobc",
    "runs compiler plug-ins or code of what it compiles",
    "javac(1) annotation processing; GTFOBins ghc, cobc",
  ],
  ["gs ghostscript ps2pdf ps2ps eps2eps pdf2ps", "runs PostScript, which can start programs", "GTFOBins gs; gs(1) -dNOSAFER"],
  ["jupyter papermill streamlit locust k6 artillery spark-submit pyspark airflow prefect", PROJECT, "each tool's documentation"],
  [
    "nginx apache2 apache2ctl apachectl httpd lighttpd haproxy sshd redis-server mysqld mariadbd postgres pg_ctl mongod slapd named uwsgi gunicorn uvicorn " +
      "hypercorn daphne flask celery django-admin rackup puma unicorn thin php-fpm openvpn",
    "loads code or starts programs that its configuration names",
    "GTFOBins apache2ctl, openvpn; nginx load_module",
  ],
  [
    "tox nox pytest py.test behave invoke fab ansible ansible-playbook ansible-console ansible-test ansible-pull ansible-inventory ansible-doc ansible-vault ansible-galaxy ansible-config ansible-lint molecule salt salt-call puppet chef-client",
    PROJECT,
    "GTFOBins ansible-playbook, puppet; pytest conftest.py",
  ],
  [
    "vagrant packer terragrunt lxc lxc-attach lxc-execute incus multipass virt-customize distrobox wsl buildah ctr crictl runc crun kind minikube limactl colima",
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
    "crontab at batch atq run-parts run-mailcap xdg-open open gio gtk-launch exo-open kde-open gnome-open sensible-browser x-www-browser www-browser see logrotate launchctl",
    "starts programs now or later",
    "GTFOBins crontab, at, run-parts, run-mailcap",
  ],
  ["xterm uxterm rxvt urxvt gnome-terminal konsole alacritty kitty foot st xfce4-terminal terminator", STARTS, "xterm(1) -e"],
  [
    "latex pdflatex xelatex lualatex tex pdftex luatex latexmk context dvips metapost mpost bibtex8",
    "may run shell commands from its input",
    "GTFOBins pdflatex, dvips",
  ],
  [
    "mutt neomutt mail mailx s-nail heirloom-mailx alpine sendmail exim procmail fetchmail msmtp mbsync offlineimap",
    ESCAPES,
    "GTFOBins mail, neomutt; msmtp passwordeval",
  ],
  ["vipw vigr visudo sudoedit chsh", "starts an editor or changes a shell", "vipw(8)"],
  ["gimp inkscape blender soffice libreoffice lowriter localc gdal_calc.py freecad", "runs scripts and macros", "GTFOBins gimp"],
  ["rename prename file-rename perl-rename cpan cpanm pip-run ipython3 jshell", "takes program text", "rename(1p); GTFOBins cpan"],
  ["awk gawk mawk nawk original-awk goawk", "takes program text that can start programs", "GTFOBins awk"],
  [
    "chromium chrome google-chrome firefox electron code cursor subl",
    "loads extensions and starts helpers that its options name",
    "chromium --renderer-cmd-prefix",
  ],
  ["npx bunx pnpx corepack", "starts a program of a package, fetched if need be", "npx(1)"],
  ["deno", PROJECT, "deno.com"],
  ["xdotool wmctrl dbus-send gdbus busctl", "talks to programs that act on its word", "xdotool(1) exec"],
];

export const ANY_FORM_CARRIERS: readonly Carrier[] = ROWS.map(([names, any, source]) => ({ names, any, source }));
