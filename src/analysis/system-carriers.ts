import type { Carrier } from "./carrier.ts";

/** Tools of system administration, of networks and clusters, and of documents, that start what their options or files name. */
const STARTS = "starts the command it is given";
const ESCAPES = "has commands of its own that start programs";
const SERVES = "starts the programs that its options or configuration name";

export const SYSTEM_CARRIERS: readonly Carrier[] = [
  {
    names:
      "systemd-cat systemd-socket-activate systemd-nspawn systemd-vmspawn homectl varlinkctl portablectl uclampset fstab-decode pg_virtualenv pg_buildext debconf " +
      "debconf-apt-progress switch_root cttyhack scriptlive luit pty ptyget withlock lockf lockrun shlock dotlockfile solo cronic tsp nq withenv rtprio idprio limits jexec jail",
    any: STARTS,
    source: "each one's manual page",
  },
  {
    names:
      "service invoke-rc.d deb-systemd-invoke rc-service openrc-run initctl telinit agetty getty mgetty mingetty pppd chat wvdial slattach ifup ifdown dhclient dhcpcd udhcpc " +
      "udhcpc6 zcip crond cron anacron fcron inetd xinetd tcpserver tcpsvd udpsvd tcpd telnetd in.telnetd rshd mdev acpid udevadm stunnel stunnel4 lsyncd csync2 rdist multilog svlogd rotatelogs",
    any: SERVES,
    source: "GTFOBins service: a name with `..` is any program; agetty(8) -l; each one's manual page",
  },
  {
    names:
      "dpkg-preconfigure dpkg-reconfigure dpkg-buildpackage dpkg-source debuild debian-rules dh sbuild pbuilder cowbuilder pdebuild gbp mock make-first-existing-target rpmspec makepkg abuild ebuild emerge portage",
    any: "runs scripts of the package",
    source: "dpkg-preconfigure(8); dpkg-buildpackage(1)",
  },
  { names: "dpkg-architecture", short: "c", skips: "aAtTi", long: "command", source: "dpkg-architecture(1) -c" },
  {
    names: "apt-mark apt-config apt-cdrom apt-file apt-ftparchive apt-sortpkgs apt-extracttemplates",
    short: "oc",
    long: "option config-file",
    source: "apt.conf(5): Dir::Bin",
  },
  { names: "savelog", short: "x", skips: "mugcCp", source: "savelog(8) -x" },
  { names: "dmsetup", long: "exec", source: "GTFOBins dmsetup" },
  { names: "pidstat", short: "e", source: "GTFOBins pidstat" },
  { names: "debugfs ncdu iftop htop smbclient rpcclient nethogs", any: ESCAPES, source: "GTFOBins debugfs, ncdu, iftop, smbclient" },
  { names: "cryptsetup", long: "external-tokens-path", source: "cryptsetup(8): loads libraries from there" },
  {
    names: "xdg-user-dir xdg-email xdg-settings xdg-screensaver xdg-terminal xdg-su mimeopen lesspipe lessfile lesspipe.sh",
    any: "evaluates its argument, or starts what files of the home directory name",
    source: "GTFOBins xdg-user-dir; lesspipe(1): ~/.lessfilter",
  },
  { names: "xrdb", begins: "-cpp", source: "xrdb(1) -cpp" },
  {
    names: "gpg-agent gpgtar gpg-zip gpg-connect-agent gpg-wks-server gpg-wks-client gpgcompose dirmngr scdaemon",
    any: SERVES,
    source: "gpgtar(1) --gpg; gpg-connect-agent(1) /definqprog; gpg-agent(1)",
  },
  { names: "gpgconf", long: "homedir launch change-options apply-defaults apply-profile", source: "gpgconf(1)" },
  {
    names: "openssl",
    // One dash or two.
    begins: "-eng --eng -prov --prov -conf --conf",
    words: "engine fipsinstall",
    source: "GTFOBins openssl (library load); config(5); openssl-fipsinstall(1)",
  },
  { names: "osslsigncode", begins: "-pkcs11 -engine -provider", source: "osslsigncode(1): loads the engine and module" },
  { names: "pkcs11-tool p11tool pkcs15-tool softhsm2-util certtool", long: "module provider", source: "pkcs11-tool(1) --module" },
  { names: "diff3 sdiff", long: "diff-program", source: "diff3(1)" },
  { names: "patch", words: "-e", long: "ed get", source: "patch(1): starts ed; CVE-2018-1000156" },
  { names: "dump restore", short: "F", source: "dump(8) -F" },
  { names: "afio", short: "PU", source: "afio(1) -P" },
  { names: "dar", short: "EF", long: "execute ref-execute batch", source: "dar(1) -E" },
  { names: "rsnapshot backupninja kopia", any: SERVES, source: "rsnapshot(1): cmd_preexec" },
  {
    names: "groff troff nroff gtroff ditroff",
    short: "UFl",
    skips: "dDfIKLmMnoPrTwW",
    source: "GTFOBins nroff; groff_font(5): `postpro` of a device found with -F",
  },
  { names: "pic gpic", short: "U", source: "GTFOBins pic" },
  { names: "grog", long: "run", source: "grog(1)" },
  { names: "pdfmom pdfroff mmroff lilypond asy povray", any: "runs commands from its input", source: "each one's manual page" },
  { names: "mman catman zsoelim lzless lzmore xzmore bzmore zstdless moar ov", any: ESCAPES, source: "GTFOBins less, more" },
  { names: "sox play rec soxi", operand: /^\|/, source: "sox(1): an input file name that starts with `|` is a command" },
  { names: "mutool", words: "run", source: "mutool(1) run" },
  { names: "pgbench", short: "f", long: "file", source: "pgbench(1): \\shell" },
  {
    names:
      "clickhouse clickhouse-client clickhouse-local cockroach beeline hive impala-shell snowsql spark-shell spark-sql osqueryi liquibase flyway initdb",
    any: ESCAPES,
    source: "each one's manual",
  },
  {
    names: "mpirun mpiexec orterun prun srun salloc sbatch qsub qrsh bsub condor_submit condor_run flux aprun jsrun ibrun",
    any: STARTS,
    source: "each one's manual page",
  },
  {
    names: "clush prsync pslurp pnuke salt-ssh et tsh ttyd gotty wetty asciinema ttyrec vhs upterm sshx",
    any: STARTS,
    source: "each one's manual page",
  },
  {
    names: "apptainer singularity ch-run udocker enroot shifter k3s helmfile envconsul consul-template boundary",
    any: STARTS,
    source: "each one's documentation",
  },
  { names: "consul etcdctl nomad", words: "exec lock watch elect connect", source: "consul lock, etcdctl watch" },
  { names: "kpt", safe: "version help", source: "kpt fn eval --exec" },
  { names: "check_by_ssh check_ssl_cert check_log check_raid check_memory check_cups check_statusfile", any: SERVES, source: "GTFOBins" },
  { names: "cdist facter dstat pcp genie jtag runscript volatility volshell eb aoss opkg", any: ESCAPES, source: "GTFOBins" },
  {
    names:
      "pass gopass quilt jj sl repo gclient west git-lfs git-annex git-shell git-receive-pack git-upload-pack git-upload-archive scalar gitk",
    any: "starts programs that files of the project or the home directory name",
    source: "each tool's documentation; githooks(5)",
  },
  // hg(1): `.hg/hgrc` loads extensions and hooks; the others have files like it.
  { names: "hg bzr brz fossil darcs cvs", any: "runs what the repository's own files say", source: "GTFOBins hg; hgrc(5)" },
  {
    names: "matlab sage scilab gap maple wolfram wolframscript stata swipl gprolog yap sash watchman watchman-make ettercap bettercap",
    any: "runs scripts and commands of its language",
    source: "each one's manual",
  },
  { names: "dvtm mtm 3mux ee aee bvi edbrowse dte", any: ESCAPES, source: "each one's manual page" },
  { names: "poop guard inotify-hookable", any: STARTS, source: "each one's manual page" },
];
