/** sh, bash and zsh. */
import { readFileSync, statSync } from "node:fs";
import {
  asProgramText,
  descriptorPath,
  type Hosted,
  mentions,
  nameOf,
  type ScriptHost,
  type ScriptUse,
  withScriptAt,
  wordsBefore,
} from "./script-use.ts";

/** dash(1), busybox: `.` keeps `$0`, and what is read that way behaves as a script does, down to a `return` outside of a function. */
export const hostForPosixShell: ScriptHost = (use) => {
  const letters = lettersOf(use);
  // -n reads without running, and would read the `.` alone; there the name matters to nobody.
  if (letters === "n") return { argv: withScriptAt(use, descriptorPath(use)), content: null };
  if (letters === null || /[cinsv]/.test(letters)) return null;
  return { argv: asProgramText(use, "-c", `. ${descriptorPath(use)}`), content: null };
};

/** What bash tells of the file it reads, beyond `$0`. */
const SELF_NAMED_BY_BASH = ["BASH_SOURCE"];
const SOURCED_NAMED_BY_BASH = ["BASH_SOURCE", "FUNCNAME", "caller", "return", "RETURN"];

/**
 * bash(1): read as a script and not with `.`, because a script may ask whether it is sourced. `$0` is then set from the first line, whose
 * own text and number stay. With -x nothing of that shows: the trace goes where the error output of the group goes.
 */
export const hostForBash: ScriptHost = (use) => {
  const letters = lettersOf(use);
  if (letters === null || /[cDrsv]/.test(letters)) return null;
  if (mentions(use, SELF_NAMED_BY_BASH)) return null;
  if (!canSetItsName(use.program.realPath)) {
    return mentions(use, SOURCED_NAMED_BY_BASH) || /[in]/.test(letters)
      ? null
      : { argv: asProgramText(use, "-c", `. ${descriptorPath(use)}`), content: null };
  }
  return withFirstLine(use, `{ BASH_ARGV0=${inQuotes(nameOf(use))};exec ${use.descriptor}<&-;} 2>/dev/null;`);
};

const SELF_NAMED_BY_ZSH = ["ZSH_ARGZERO", "ZSH_SCRIPT", "%x", "%N", "functrace", "funcfiletrace", "funcsourcetrace"];

/** zshparam(1): `0` can be assigned, and functions go on having their own. */
export const hostForZsh: ScriptHost = (use) => {
  const letters = lettersOf(use);
  if (letters === null || /[bcirsv]/.test(letters) || mentions(use, SELF_NAMED_BY_ZSH)) return null;
  return withFirstLine(use, `{ 0=${inQuotes(nameOf(use))} } 2>/dev/null;`);
};

function withFirstLine(use: ScriptUse, text: string): Hosted {
  return { argv: withScriptAt(use, descriptorPath(use)), content: Buffer.concat([Buffer.from(text), use.bytes]) };
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const LONG_OPTIONS_KEPT = new Set(["--norc", "--noprofile", "--posix", "--login", "--noediting", "--no-rcs"]);

/** The letters of all options, or `null` when one of them is beyond us. */
function lettersOf(use: ScriptUse): string | null {
  let letters = "";
  const words = wordsBefore(use);
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("--")) {
      if (!LONG_OPTIONS_KEPT.has(word)) return null;
    } else {
      letters += word.slice(1);
      // `-o NAME` and bash's `-O NAME`: some names change as much as a letter does, and few are in use.
      const named = /[oO]/.test(word) ? words[(at += 1)] : undefined;
      if (named !== undefined && !/^(?:errexit|nounset|pipefail|xtrace|noglob|allexport|noclobber)$/.test(named)) return null;
    }
  }
  return letters;
}

const KNOWN = new Map<string, boolean>();

/** BASH_ARGV0 came with bash 5.0; a bash that knows it has its name in its own text. */
function canSetItsName(path: string): boolean {
  const { dev, ino, mtimeMs } = statSync(path);
  const key = `${dev} ${ino} ${mtimeMs}`;
  const known = KNOWN.get(key) ?? readFileSync(path).includes("BASH_ARGV0");
  KNOWN.set(key, known);
  return known;
}
