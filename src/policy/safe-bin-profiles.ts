/**
 * Filters that may run unasked when they only turn standard input into standard output. Each table names every option of the program
 * (GNU coreutils 9.5, GNU grep 3.11, jq 1.7), also those that are refused: an abbreviation can only be judged by someone who knows what
 * else it might mean.
 */
export interface FilterProfile {
  readonly minPositional: number;
  readonly maxPositional: number;
  /** Take no value and change what is printed, nothing else. */
  readonly switches: readonly string[];
  /** Take one value, or as many as `arity` says. */
  readonly valued: readonly string[];
  /** Take a value only when it is glued on with `=`: the next word is an operand. */
  readonly optional: readonly string[];
  /** Read or write a file, start a program, never end, or are not worth the doubt. */
  readonly denied: readonly string[];
  /** Whether the program accepts unambiguous beginnings of long options, getopt_long(3). */
  readonly abbreviates: boolean;
}

/** Options that take more than one value whatever a profile says about them. */
export const ARITY: Readonly<Record<string, Readonly<Record<string, number>>>> = { jq: { "--arg": 2, "--argjson": 2 } };

export const BUILT_IN_PROFILES: ReadonlyMap<string, FilterProfile> = new Map([
  filter("cut", {
    valued: words("-b --bytes -c --characters -d --delimiter -f --fields --output-delimiter"),
    switches: words("-n -s --only-delimited -z --zero-terminated --complement"),
    denied: words("--help --version"),
  }),
  filter("uniq", {
    valued: words("-f --skip-fields -s --skip-chars -w --check-chars"),
    optional: words("--group --all-repeated"),
    switches: words("-c --count -d --repeated -D -i --ignore-case -u --unique -z --zero-terminated"),
    denied: words("--help --version"),
  }),
  filter("head", {
    valued: words("-n --lines -c --bytes"),
    switches: words("-q --quiet --silent -v --verbose -z --zero-terminated"),
    denied: words("--help --version ---presume-input-pipe"),
  }),
  filter("tail", {
    valued: words("-n --lines -c --bytes"),
    switches: words("-q --quiet --silent -v --verbose -z --zero-terminated"),
    // Following never ends, and --retry waits for a file to appear.
    denied: words(
      "-f --follow -F --retry --pid -s --sleep-interval --max-unchanged-stats --debug --help --version ---disable-inotify ---presume-input-pipe",
    ),
  }),
  filter("tr", {
    minPositional: 1,
    maxPositional: 2,
    switches: words("-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1"),
    denied: words("--help --version"),
  }),
  filter("wc", {
    switches: words("-c --bytes -m --chars -l --lines -L --max-line-length -w --words"),
    denied: words("--files0-from --total --debug --help --version"),
  }),
  filter("grep", {
    valued: words("-e --regexp -m --max-count -A --after-context -B --before-context -C --context --include --exclude --label"),
    switches: words(
      "-i --ignore-case --no-ignore-case -v --invert-match -c --count -n --line-number -o --only-matching -q --quiet --silent -s --no-messages -w --word-regexp -x --line-regexp -h --no-filename -H --with-filename -l --files-with-matches -L --files-without-match -b --byte-offset -F --fixed-strings -E --extended-regexp -G --basic-regexp -a --text -T --initial-tab -z --null-data -Z --null --line-buffered",
    ),
    denied: words(
      "-f --file -r --recursive -R --dereference-recursive -d --directories -D --devices --exclude-from --exclude-dir --binary-files -I -P --perl-regexp -U --binary -u --unix-byte-offsets --color --colour -y -V --version --help --fixed-regexp",
    ),
  }),
  filter("sort", {
    valued: words("-k --key -t --field-separator -S --buffer-size --batch-size --parallel --sort"),
    switches: words(
      "-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -h --human-numeric-sort -i --ignore-nonprinting -M --month-sort -n --numeric-sort -R --random-sort -r --reverse -s --stable -u --unique -V --version-sort -z --zero-terminated -c -C -m --merge",
    ),
    denied: words(
      "-o --output -T --temporary-directory --compress-program --random-source --files0-from --check --debug --help --version -y",
    ),
  }),
  filter("jq", {
    maxPositional: 1,
    abbreviates: false,
    valued: words("--arg --argjson --argstr --indent"),
    switches: words(
      "-r --raw-output --raw-output0 -j --join-output -c --compact-output -a --ascii-output -S --sort-keys -C --color-output -M --monochrome-output -e --exit-status -n --null-input -s --slurp -R --raw-input --tab --unbuffered --seq",
    ),
    denied: words(
      "-f --from-file -L --library-path --rawfile --slurpfile --argfile --args --jsonargs --stream --stream-errors --run-tests -h --help -V --version --build-configuration --debug-dump-disasm --debug-trace",
    ),
  }),
]);

/** Programs that run what they are told with the right option, beyond those that always do: no profile can make a filter of them. */
export const NEVER_SAFE: ReadonlySet<string> = new Set(
  words(
    "git hg svn tar gtar bsdtar zip rsync scp curl wget aria2c socat nc ncat netcat openssl gpg docker podman kubectl helm terraform npm pnpm yarn bun pip gem cargo go dotnet gh gcc g++ cc clang ld as fd rg ack split tcpdump nmap pandoc exiftool dpkg rpm apt yum dnf brew systemctl redis-cli tee dd install",
  ),
);

type Given = Partial<Omit<FilterProfile, "denied">> & Pick<FilterProfile, "denied">;

function filter(name: string, given: Given): readonly [string, FilterProfile] {
  return [name, { minPositional: 0, maxPositional: 0, switches: [], valued: [], optional: [], abbreviates: true, ...given }];
}

function words(text: string): readonly string[] {
  return text.split(" ");
}
