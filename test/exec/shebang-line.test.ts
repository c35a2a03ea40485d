import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SHEBANG_BYTES_MAX } from "../../src/core/limits.ts";
import { parseShebang } from "../../src/exec/shebang-line.ts";
import { type Scratch, scratchDirectory } from "../support/scratch.ts";

const ROWS: readonly (readonly [name: string, head: string | Buffer, expected: ReturnType<typeof parseShebang>])[] = [
  ["an interpreter alone", "#!/bin/echo\n", { interpreter: "/bin/echo", argument: null }],
  ["blanks before it and after it", "#! \t/bin/echo \t \n", { interpreter: "/bin/echo", argument: null }],
  ["everything after it is one argument", "#!/bin/echo -a  b\tc \n", { interpreter: "/bin/echo", argument: "-a  b\tc" }],
  ["a carriage return belongs to the word", "#!/bin/echo -e\r\n", { interpreter: "/bin/echo", argument: "-e\r" }],
  ["no line break at the end", "#!/bin/echo -x", { interpreter: "/bin/echo", argument: "-x" }],
  ["no line break and a blank: an empty argument", "#!/bin/echo ", { interpreter: "/bin/echo", argument: "" }],
  ["a NUL ends the argument", "#!/bin/echo a\0b\n", { interpreter: "/bin/echo", argument: "a" }],
  ["a NUL ends the name", "#!/bin/echo\0 a\n", { interpreter: "/bin/echo", argument: null }],
  [
    "an argument longer than the kernel's buffer is cut there",
    `#!/bin/echo ${"x".repeat(300)}\n`,
    { interpreter: "/bin/echo", argument: "x".repeat(SHEBANG_BYTES_MAX - 1 - 12) },
  ],
  ["a name longer than the buffer is none", `#!/${"x".repeat(300)}\n`, "none"],
  ["nothing behind the mark", "#!\n", "none"],
  ["blanks alone behind the mark", "#!  \t\n", "none"],
  ["the mark alone", "#!", "none"],
  ["a blank before the mark", " #!/bin/echo\n", "none"],
  ["plain text", "echo hi\n", "none"],
  ["an empty file", "", "none"],
  ["a byte order mark", "\uFEFF#!/bin/echo\n", "none"],
];

describe("the first line of a script", () => {
  test.each(ROWS)("%s", (_name, head, expected) => {
    expect(parseShebang(Buffer.from(head).subarray(0, SHEBANG_BYTES_MAX))).toEqual(expected);
  });

  test("a name without a slash is one in the working directory, as the kernel takes it", () => {
    expect(parseShebang(Buffer.from("#!bash\n"))).toEqual({ interpreter: "./bash", argument: null });
  });

  test("a name that is not UTF-8 is refused rather than looked up under another", () => {
    expect(parseShebang(Buffer.from([0x23, 0x21, 0x2f, 0xff, 0x0a]))).toBe("none");
  });

  test.each([
    ["an ELF file", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0])],
    ["another file with a NUL", Buffer.from("PK\u0003\u0004\0")],
  ])("%s is a binary", (_name, head) => {
    expect(parseShebang(head)).toBeNull();
  });
});

describe.runIf(process.platform === "linux")("this kernel (Linux only)", () => {
  let scratch: Scratch;
  beforeAll(() => {
    scratch = scratchDirectory();
  });
  afterAll(() => scratch.remove());

  test.each(ROWS)("agrees: %s", (_name, head, expected) => {
    const script = join(scratch.path, "script");
    writeFileSync(script, head);
    chmodSync(script, 0o755);
    // `echo` shows what it was given. What the kernel refuses, execvp(3) hands to a shell, which says something else or nothing.
    const said = run(script);
    if (expected === "none" || expected === null) expect(said).not.toContain(script);
    else expect(said).toBe(`${expected.argument === null ? "" : `${expected.argument} `}${script}\n`);
  });

  function run(script: string): string {
    try {
      return execFileSync(script, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch {
      return "";
    }
  }
});
