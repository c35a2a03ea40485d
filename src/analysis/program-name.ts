import { remembered } from "../core/remembered.ts";

/**
 * The name that tables are looked up by: the last path component, lower-cased, without what Windows adds. Blanks around it are dropped,
 * because here a look-alike must fall under the same rule rather than slip past it.
 */
export const programName: (word: string) => string = remembered((word) => {
  const last = word.trim().split(/[/\\]/).at(-1) ?? "";
  return last.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, "");
});

/** `python3.11` is a `python`, `node20` a `node`, `lua5.4` a `lua`, `gcc-12` a `gcc`. Look up the full name first: `base64` is no `base`. */
export function withoutVersion(name: string): string {
  return /^(.*[a-z+])[-_.]?\d+(?:\.\d+)*[a-z]?$/.exec(name)?.[1]?.replace(/[-_.]?\d+(?:\.\d+)*$/, "") ?? name;
}

const MACHINES =
  "x86_64|amd64|i[3-6]86|aarch64|arm64|arm\\w*|riscv\\w*|powerpc\\w*|ppc\\w*|s390x?|mips\\w*|loongarch\\w*|sparc\\w*|m68k|alpha|hppa|avr|xtensa";
const SYSTEMS =
  "pc|unknown|none|w64|apple|redhat|suse|alpine|linux|gnu\\w*|musl\\w*|eabi\\w*|elf|mingw\\w*|android\\w*|darwin\\w*|\\w*bsd\\w*|cygwin|uclibc\\w*|esp\\w*";
const TARGET = `(?:${MACHINES})(?:-(?:${SYSTEMS}))+`;
const BEFORE = new RegExp(`^${TARGET}-(?=.)`);
const BEHIND = new RegExp(`(?<=.)-${TARGET}$`);

/** Compilers and interpreters are also installed under the machine they are for: `x86_64-linux-gnu-gcc-12`, `perl5.36-x86_64-linux-gnu`. */
function withoutTarget(name: string): string {
  return name.replace(BEFORE, "").replace(BEHIND, "");
}

/** The program itself beside a script that starts it, or one of several builds: `valgrind.bin`, `bash-static`, nixpkgs' `.git-wrapped`. */
function withoutFlavour(name: string): string {
  return name.replace(/^\.(.+)-wrapped_?$/, "$1").replace(FLAVOUR, "");
}

const FLAVOUR = /[-_.](?:bin|real|orig|distrib|default|static|dbg|debug|basic|tiny|nox|gtk\d?|x11|openbsd|traditional|unwrapped|original)$/;

/** What tables may know a program as, most like its name first: itself, or without its version, target or flavour. */
export const spellings: (name: string) => readonly string[] = remembered((name) => {
  const plain = withoutFlavour(withoutTarget(name));
  return [...new Set([name, withoutVersion(name), plain, withoutVersion(plain)])];
});

export function rowFor<Row>(table: ReadonlyMap<string, Row>, name: string): Row | undefined {
  for (const spelling of spellings(name)) {
    const row = table.get(spelling);
    if (row !== undefined) return row;
  }
  return undefined;
}
