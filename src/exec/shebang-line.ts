/** The first line of a script, read as Linux reads it: fs/binfmt_script.c, execve(2) "Interpreter scripts". */
import type { Shebang } from "../analysis/machine.ts";
import { SHEBANG_BYTES_MAX } from "../core/limits.ts";

const ELF = [0x7f, 0x45, 0x4c, 0x46];
const NUL = 0;
const TAB = 9;
const NEWLINE = 10;
const SPACE = 32;

/** `head` is the file's first bytes, at most SHEBANG_BYTES_MAX. `"none"` is text that the kernel would not start; `null` a binary. */
export function parseShebang(head: Uint8Array): Shebang | "none" | null {
  if (ELF.every((byte, index) => head[index] === byte)) return null;
  if (head[0] !== 0x23 || head[1] !== 0x21) return head.includes(NUL) ? null : "none";
  // The kernel's buffer is as long as this and empty behind a shorter file.
  const line = new Uint8Array(SHEBANG_BYTES_MAX);
  line.set(head.subarray(0, SHEBANG_BYTES_MAX));
  const end = endOf(line);
  const name = end === null ? null : firstFrom(line, 2, end, isNotBlank);
  if (end === null || name === null || name === end) return "none";
  const separator = firstFrom(line, name, end, isTerminator);
  const interpreter = textOf(line, name, separator ?? end);
  if (interpreter === null || interpreter === "") return "none";
  const argumentAt = separator === null || line[separator] === NUL ? null : firstFrom(line, separator, end, isNotBlank);
  const argument = argumentAt === null ? "" : textOf(line, argumentAt, end);
  if (argument === null) return "none";
  // A name without a slash is no name on PATH to the kernel: it opens it in the working directory.
  return { interpreter: interpreter.includes("/") ? interpreter : `./${interpreter}`, argument: argumentAt === null ? null : argument };
}

/** Where the line ends, blanks trimmed, or `null` where the kernel cannot be sure that it saw the whole name of the interpreter. */
function endOf(line: Uint8Array): number | null {
  const last = SHEBANG_BYTES_MAX - 1;
  const newline = line.indexOf(NEWLINE);
  let end = newline;
  if (newline < 0 || line.subarray(0, newline).includes(NUL)) {
    const name = firstFrom(line, 2, last, isNotBlank);
    if (name === null || firstFrom(line, name, last, isTerminator) === null) return null;
    end = last;
  }
  while (!isNotBlank(line[end - 1])) end -= 1;
  return end;
}

/** `last` is looked at as well. */
function firstFrom(line: Uint8Array, from: number, last: number, wanted: (byte: number | undefined) => boolean): number | null {
  for (let at = from; at <= last; at += 1) if (wanted(line[at])) return at;
  return null;
}

function isNotBlank(byte: number | undefined): boolean {
  return byte !== SPACE && byte !== TAB;
}

function isTerminator(byte: number | undefined): boolean {
  return !isNotBlank(byte) || byte === NUL;
}

/** Up to the first NUL, as C strings go. A name that is not UTF-8 cannot be looked up as the kernel would. */
function textOf(line: Uint8Array, from: number, end: number): string | null {
  const bytes = line.subarray(from, end);
  const nul = bytes.indexOf(NUL);
  const text = Buffer.from(nul < 0 ? bytes : bytes.subarray(0, nul)).toString("utf8");
  return text.includes("\uFFFD") ? null : text;
}
