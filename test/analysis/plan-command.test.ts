import { describe, expect, test } from "vitest";
import type { CommandPlan, Segment } from "../../src/analysis/command-plan.ts";
import { planCommand } from "../../src/analysis/plan-command.ts";
import type { Step } from "../../src/analysis/step.ts";
import { argvOf, CWD, type Table, tableMachine } from "./table-machine.ts";

function planned(form: string | readonly string[], table: Table = {}): CommandPlan {
  const result = planCommand(
    {
      form: typeof form === "string" ? { kind: "command", text: form } : { kind: "argv", argv: argvOf(...form) },
      cwd: CWD,
      hasStdin: false,
    },
    tableMachine(table),
  );
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}

function denied(form: string | readonly string[], table: Table = {}): string {
  try {
    planned(form, table);
  } catch (error) {
    return String(error);
  }
  return "planned";
}

function segmentsOf(plan: CommandPlan): readonly Segment[] {
  return plan.analysis.ok ? plan.analysis.segments : [];
}

/** A step in one line: what is started, in brackets what it carries, and the working directory where it is another. */
function shown(step: Step): string {
  if (step.kind === "nothing") return ":";
  if (step.kind === "chain")
    return `{ ${step.parts.map(({ step: part, operator }) => `${shown(part)}${operator === null ? "" : ` ${operator}`}`).join(" ")} }`;
  const script = step.script === null ? "" : ` script@${step.script.index}=${step.script.path}`;
  const carried = step.carried === null ? "" : ` carried@${step.carried.index}=${step.carried.program.realPath}`;
  return `${step.program.realPath}(${step.argv.join(" ")})${step.cwd === CWD ? "" : ` in ${step.cwd}`}${script}${carried}`;
}

const judged = (plan: CommandPlan): string => (plan.analysis.ok ? shown(plan.analysis.asJudged) : plan.analysis.refusal.reason);
const nested = (plan: CommandPlan): readonly string[] => plan.nested.map(({ realPath }) => realPath);
const files = (plan: CommandPlan): readonly string[] => plan.files.map(({ argvIndex, path }) => `${argvIndex} ${path}`);

const SCRIPTS: Table = {
  files: ["/home/u/p/run.sh", "/home/u/p/run.py", "/home/u/p/run.ts", "/home/u/p/app.js", "/home/u/p/package.json", "/home/u/p/Makefile"],
};

describe("a plain argv", () => {
  test("is itself, judged and requested", () => {
    const plan = planned(["git", "status"]);
    expect(plan.executable.realPath).toBe("/usr/bin/git");
    expect(judged(plan)).toBe("/usr/bin/git(git status)");
    expect(shown(plan.asRequested)).toBe("/usr/bin/git(git status)");
    expect([nested(plan), files(plan), plan.unbound]).toEqual([[], [], []]);
    expect(segmentsOf(plan)[0]).toMatchObject({ never: null, carries: null, inlineEval: null, storable: true, script: null });
  });

  test("that names no program is denied", () => {
    expect(denied(["nosuch"])).toContain("exec.not-found");
    expect(denied(["./run.sh"], SCRIPTS)).toContain("exec.not-executable");
    expect(denied([""])).toContain("exec.not-found");
    expect(denied(["ls", "a\0b"])).toContain("wire.invalid-params");
  });

  test("is never read by a shell's rules", () => {
    expect(segmentsOf(planned(["echo", "a && b", "$(id)"]))[0]?.argv).toEqual(["echo", "a && b", "$(id)"]);
  });
});

describe("scripts that are bound", () => {
  test.each([
    ["bash", ["bash", "run.sh", "x.sh"], ["1 /home/u/p/run.sh"], true],
    ["bash with an option", ["bash", "-x", "run.sh"], ["2 /home/u/p/run.sh"], false],
    ["bash with --", ["bash", "--", "run.sh"], ["2 /home/u/p/run.sh"], true],
    ["python", ["python3", "-B", "-W", "ignore", "./run.py"], ["4 /home/u/p/run.py"], false],
    ["node without the ending", ["node", "app"], ["1 /home/u/p/app.js"], true],
    ["node with a loader", ["node", "--import", "x", "app.js"], ["3 /home/u/p/app.js"], false],
    ["bun run", ["bun", "run", "./run.ts"], ["2 /home/u/p/run.ts"], false],
    ["deno run", ["deno", "run", "-A", "--", "./run.ts"], ["4 /home/u/p/run.ts"], false],
    ["perl -i.bak", ["perl", "-i.bak", "run.sh"], ["2 /home/u/p/run.sh"], false],
    ["awk -f", ["awk", "-f", "run.sh", "data"], ["2 /home/u/p/run.sh"], false],
    ["sed -f glued", ["sed", "-frun.sh"], ["1 /home/u/p/run.sh"], false],
    ["php -f", ["php", "-f", "run.sh"], ["2 /home/u/p/run.sh"], false],
    ["java -jar", ["java", "-jar", "run.sh"], ["2 /home/u/p/run.sh"], false],
    ["a wrapper around bash", ["timeout", "--kill-after=5", "5", "bash", "run.sh"], ["4 /home/u/p/run.sh"], true],
    ["an unknown option before the only file", ["tclsh", "-q", "run.sh"], ["2 /home/u/p/run.sh"], false],
  ])("%s", (_name, argv, wanted, plain) => {
    const plan = planned(argv, SCRIPTS);
    expect(files(plan)).toEqual(wanted);
    expect(segmentsOf(plan)[0]?.script?.plain ?? false).toBe(plain);
    expect(segmentsOf(plan)[0]?.carries).not.toBeNull();
  });

  test.each([
    ["a missing script", ["bash", "none.sh"]],
    ["a directory", ["python3", "sub"]],
    ["a descriptor under /proc", ["sh", "/proc/self/fd/0"]],
    ["standard input by its name", ["sh", "/dev/stdin"]],
    ["a missing file for awk", ["awk", "-f", "none.awk"]],
    ["either of two files after an unknown option", ["tclsh", "-q", "run.sh", "run.py"]],
    ["a missing script under a wrapper", ["nice", "bash", "none.sh"]],
    ["a makefile that is named and missing", ["make", "-f", "none.mk"]],
  ])("%s is unavailable", (_name, argv) => {
    expect(denied(argv, { ...SCRIPTS, others: ["/proc/self/fd/0", "/dev/stdin"] })).toContain("binding.unavailable");
  });

  test("`..` climbs from where a link leads, as the kernel does", () => {
    const table = { links: { "/home/u/p/link": "/tmp/a/b" }, files: ["/tmp/a/x.sh", "/tmp/a/b/y", "/home/u/p/x.sh"] };
    expect(files(planned(["bash", "link/../x.sh"], table))).toEqual(["1 /tmp/a/x.sh"]);
  });

  test("conventional inputs have no place in argv", () => {
    expect(files(planned(["make", "x"], SCRIPTS))).toEqual(["-1 /home/u/p/Makefile"]);
    expect(files(planned(["make", "-j4", "x", "-f", "run.sh"], SCRIPTS))).toEqual(["4 /home/u/p/run.sh"]);
    expect(files(planned(["npm", "run", "-s", "x"], SCRIPTS))).toEqual(["-1 /home/u/p/package.json"]);
    expect(files(planned(["npm", "test"], SCRIPTS))).toEqual(["-1 /home/u/p/package.json"]);
    expect(files(planned(["npm", "--prefix", "sub", "run", "x"], { files: ["/home/u/p/sub/package.json"] }))).toEqual([
      "-1 /home/u/p/sub/package.json",
    ]);
    expect(files(planned(["npm", "ls"], SCRIPTS))).toEqual([]);
    const linked = {
      ...SCRIPTS,
      programs: { "/usr/lib/npm/bin/npm-cli.js": "#!/usr/bin/env node" },
      links: { "/usr/bin/npm": "/usr/lib/npm/bin/npm-cli.js" },
    };
    expect(files(planned(["npm", "run", "-s", "x"], linked))).toEqual(["-1 /home/u/p/package.json"]);
    expect(planned(["make"], SCRIPTS).unbound).toEqual(["the recipes of `make` and the makefiles they include"]);
  });

  test("what is loaded besides is named in words", () => {
    expect(planned(["python3", "-m", "http.server"]).unbound).toEqual(["the module `http.server` and what it imports"]);
    expect(planned(["node", "--require", "./x.js", "app.js"], SCRIPTS).unbound).toEqual([
      "the code that `node --require ./x.js` loads",
      "the files that `app.js` imports",
    ]);
    expect(planned(["bash", "run.sh"], SCRIPTS).unbound).toEqual([]);
    expect(planned("cat x | sh").unbound).toEqual(["the program that `sh` reads from the pipe"]);
    expect(planned(["zsh", "run.sh"], SCRIPTS).unbound).toEqual(["the start-up files that `zsh` reads"]);
    expect(planned(["zsh", "-f", "run.sh"], SCRIPTS).unbound).toEqual([]);
  });

  test("start-up files of a shell around a text are told apart from what the text itself loads", () => {
    const login = ["the start-up files that `bash -l` reads"];
    expect(planned(["bash", "-lc", "ls"])).toMatchObject({ unbound: login, startup: login });
    expect(planned(["zsh", "-c", "ls"])).toMatchObject({ startup: ["the start-up files that `zsh` reads"] });
    expect(planned(["zsh", "-fc", "ls"])).toMatchObject({ unbound: [], startup: [] });
    expect(planned(["bash", "-lc", "python3 -m x"])).toMatchObject({
      unbound: [...login, "the module `x` and what it imports"],
      startup: login,
    });
  });
});

describe("a script that is started by its own name", () => {
  test("is the executable, and its interpreters are nested", () => {
    const plan = planned(["./t"], { programs: { "/home/u/p/t": "#!/usr/bin/env node" } });
    expect(plan.executable.realPath).toBe("/home/u/p/t");
    expect(nested(plan)).toEqual(["/usr/bin/env", "/usr/bin/node"]);
    expect(plan.unbound).toEqual(["the files that `./t` imports"]);
  });

  test("names what the argument of its `#!` line makes the interpreter read besides", () => {
    const unbound = (line: string) => planned(["./t"], { programs: { "/home/u/p/t": line } }).unbound;
    expect(unbound("#!/bin/bash -l")).toEqual(["the start-up files that `bash -l` reads"]);
    expect(unbound("#!/bin/bash -e")).toEqual([]);
    expect(unbound("#!/usr/bin/perl -Mevil")).toContain("the code that `perl -M evil` loads in `./t`");
  });

  test("may split its arguments with env -S, and be interpreted by another script", () => {
    const programs = { "/home/u/p/t": "#!/usr/bin/env -S node --x", "/home/u/p/s": "#!/home/u/p/i", "/home/u/p/i": "#!/bin/sh" };
    expect(nested(planned(["./t"], { programs }))).toEqual(["/usr/bin/env", "/usr/bin/node"]);
    expect(nested(planned(["./s"], { programs }))).toEqual(["/home/u/p/i", "/usr/bin/sh"]);
    expect(nested(planned("./s && ls", { programs }))).toEqual(["/home/u/p/s", "/home/u/p/i", "/usr/bin/sh", "/usr/bin/ls"]);
  });

  test("is denied without a `#!` line or without its interpreter", () => {
    expect(denied(["./t"], { programs: { "/home/u/p/t": "text" } })).toContain("exec.not-executable");
    expect(denied(["./t"], { programs: { "/home/u/p/t": "#!/nope" } })).toContain("exec.not-found");
    expect(denied(["./t"], { programs: { "/home/u/p/t": "#!/home/u/p/t" } })).toContain("binding.unavailable");
  });
});

describe("transparent wrappers", () => {
  test("carry the inner program by its absolute path when policy starts them, and as written when a person does", () => {
    const plan = planned(["nice", "-n5", "rg", "x"]);
    expect(judged(plan)).toBe("/usr/bin/nice(nice -n5 /usr/bin/rg x) carried@2=/usr/bin/rg");
    expect(shown(plan.asRequested)).toBe("/usr/bin/nice(nice -n5 rg x) carried@2=/usr/bin/rg");
    expect(nested(plan)).toEqual(["/usr/bin/rg"]);
    expect(segmentsOf(plan)[0]).toMatchObject({
      argv: ["rg", "x"],
      written: ["nice", "-n5", "rg", "x"],
      wrappers: ["nice"],
      never: null,
      carries: null,
    });
  });

  test("stack up to the limit", () => {
    expect(judged(planned(["env", "nice", "nohup", "stdbuf", "-oL", "ls"]))).toBe(
      "/usr/bin/nice(nice /usr/bin/nohup /usr/bin/stdbuf -oL /usr/bin/ls) carried@4=/usr/bin/ls",
    );
    expect(segmentsOf(planned(["env", "env", "env", "env", "env", "ls"]))[0]?.never).toContain("4 deep");
  });

  test("count together with the shells between them", () => {
    const four = ["nice", "sh", "-c", "nice sh -c ls"];
    expect(judged(planned(four))).toBe("/usr/bin/nice(nice /usr/bin/nice /usr/bin/ls) carried@2=/usr/bin/ls");
    expect(segmentsOf(planned(["env", ...four]))[0]?.never).toContain("4 deep");
    expect(segmentsOf(planned(["nice", "sh", "-c", "nice sh -c 'nice ls'"]))[0]?.never).toContain("4 deep");
  });

  test("that do nothing are not started: `env` would take a path with `=` in it for an assignment", () => {
    const table: Table = { path: ["/opt/a=b", "/usr/bin"], programs: { "/opt/a=b/rg": "binary" } };
    expect(judged(planned(["env", "rg", "x"], table))).toBe("/opt/a=b/rg(rg x)");
    expect(judged(planned(["env", "nice", "rg"], table))).toBe("/usr/bin/nice(nice /opt/a=b/rg) carried@1=/opt/a=b/rg");
  });

  test("point at a script inside", () => {
    expect(judged(planned(["timeout", "5", "bash", "run.sh"], SCRIPTS))).toBe(
      "/usr/bin/timeout(timeout 5 /usr/bin/bash run.sh) script@3=/home/u/p/run.sh carried@2=/usr/bin/bash",
    );
  });

  test("of one's own making are not looked through", () => {
    const [segment] = segmentsOf(planned(["./timeout", "5", "ls"], { programs: { "/home/u/p/timeout": "binary" } }));
    expect(segment).toMatchObject({ argv: ["./timeout", "5", "ls"], storable: false });
    expect(segment?.carries).toContain("the command's own user could change it");
    const link = { links: { "/home/u/p/nice": "/usr/bin/env" } };
    expect(segmentsOf(planned(["./nice", "ls"], link))[0]?.carries).not.toBeNull();
  });

  test.each([
    ["env with an assignment", ["env", "A=1", "ls"], false],
    ["env -S", ["env", "-S", "ls -l"], false],
    ["an unknown flag", ["timeout", "--what", "5", "ls"], false],
    ["sudo", ["sudo", "ls"], true],
    ["setsid", ["nice", "setsid", "ls"], true],
  ])("%s blocks", (_name, argv, never) => {
    const [segment] = segmentsOf(planned(argv));
    expect(segment?.carries).not.toBeNull();
    expect(segment?.never !== null).toBe(never);
    expect(segment?.storable).toBe(false);
  });
});

describe("shells with a text", () => {
  test("are looked through, and not started on policy's word", () => {
    const plan = planned(["bash", "-c", "rg a && ls | wc"]);
    expect(judged(plan)).toBe("{ /usr/bin/rg(rg a) && /usr/bin/ls(ls) | /usr/bin/wc(wc) }");
    expect(shown(plan.asRequested)).toBe("/usr/bin/bash(bash -c rg a && ls | wc)");
    expect(nested(plan)).toEqual(["/usr/bin/rg", "/usr/bin/ls", "/usr/bin/wc"]);
    expect(segmentsOf(plan).map(({ argv, operator, wrappers }) => [argv.join(" "), operator, wrappers])).toEqual([
      ["rg a", "&&", ["bash"]],
      ["ls", "|", ["bash"]],
      ["wc", null, ["bash"]],
    ]);
  });

  test.each([
    ["-ec", ["bash", "-ec", "ls"], null],
    ["--norc -c", ["bash", "--norc", "-c", "ls"], null],
    ["+x -c", ["bash", "+x", "-c", "ls"], null],
    ["-c --", ["sh", "-c", "--", "ls"], null],
    ["-o pipefail in a cluster", ["bash", "-euo", "pipefail", "-c", "ls"], null],
    ["busybox", ["busybox", "sh", "-c", "ls"], null],
    ["-lc reads start-up files", ["bash", "-lc", "ls"], "start-up files"],
    ["-ic reads start-up files", ["bash", "-ic", "ls"], "start-up files"],
    ["--rcfile reads one", ["bash", "--rcfile", "x", "-c", "ls"], "start-up files"],
    ["-e with two commands ends early", ["bash", "-ec", "ls; ls"], "early"],
    ["pipefail with a pipe", ["bash", "-o", "pipefail", "-c", "ls | ls"], "early"],
    ["timeout around several commands", ["timeout", "5", "bash", "-c", "ls; ls"], "several commands"],
  ])("%s", (_name, argv, never) => {
    const segments = segmentsOf(planned(argv));
    expect(
      segments.every((segment) => segment.argv[0] === "ls" && (never === null ? segment.never === null : segment.never?.includes(never))),
    ).toBe(true);
    expect(segments.every(({ storable }) => storable)).toBe(argv[0] !== "busybox");
  });

  test.each([
    ["-n only reads the text", ["bash", "-n", "-c", "ls"]],
    ["history expansion", ["bash", "-o", "history", "-o", "histexpand", "-c", "ls"]],
    ["an unknown option", ["bash", "--what", "-c", "ls"]],
    ["restricted", ["bash", "-rc", "ls"]],
    ["an option of another shell's", ["zsh", "-oc", "ls", "ls"]],
  ])("%s is not looked through", (_name, argv) => {
    const [segment] = segmentsOf(planned(argv));
    expect([segment?.argv, segment?.storable, segment?.carries !== null]).toEqual([argv, false, true]);
  });

  test("keep their grouping inside a chain", () => {
    expect(judged(planned("true || sh -c 'ls; id'"))).toBe("{ /usr/bin/true(true) || { /usr/bin/ls(ls) ; /usr/bin/id(id) } }");
  });

  test("put nice around each command, since that is the same", () => {
    expect(judged(planned(["nice", "sh", "-c", "ls && id"]))).toBe(
      "{ /usr/bin/nice(nice /usr/bin/ls) carried@1=/usr/bin/ls && /usr/bin/nice(nice /usr/bin/id) carried@1=/usr/bin/id }",
    );
  });

  test("carry programs by position", () => {
    expect(judged(planned(["sh", "-c", '$0 "$1"', "touch", "a b"]))).toBe("/usr/bin/touch(touch a b)");
    expect(judged(planned(["sh", "-c", 'exec -- "$@"', "_", "touch", "x"]))).toBe("/usr/bin/touch(touch x)");
    for (const carried of [
      ["env", "ls"],
      ["bash", "-c", "ls"],
      ["npx", "x"],
      ["sudo", "ls"],
    ]) {
      const [segment] = segmentsOf(planned(["sh", "-c", '"$0" "$@"', ...carried]));
      expect([segment?.storable, segment?.argv[0]]).toEqual([false, "sh"]);
    }
    expect(planned(["sh", "-c", '$0 "$1"', "touch", "x"]).analysis.ok).toBe(true);
    expect(planned(["sh", "-c", "$0 $1", "touch", "a b"]).analysis.ok).toBe(false);
    expect(planned(["sh", "-c", 'echo x; $0 "$1"', "touch", "x"]).analysis.ok).toBe(false);
  });

  test("with a text that cannot be read bind the shell and say the rest", () => {
    const plan = planned(["timeout", "5", "bash", "-c", "ls > x"]);
    expect(plan.analysis).toMatchObject({ ok: false, refusal: { reason: "redirection", weight: "outright" } });
    expect(nested(plan)).toEqual(["/usr/bin/bash"]);
    expect(plan.unbound[0]).toContain("cannot be analysed");
    expect(shown(plan.asRequested)).toBe("/usr/bin/timeout(timeout 5 bash -c ls > x)");
  });

  test("nested deeper than the limit are not looked through", () => {
    const text = ["ls", "1", "2", "3", "4", "5"].reduce((inner) => `sh -c ${JSON.stringify(inner)}`);
    expect(segmentsOf(planned(text)).some(({ never }) => never !== null)).toBe(true);
  });
});

describe("command text", () => {
  test("is bound as /bin/sh -c, and run without one", () => {
    const plan = planned("nice python3 run.py | wc -l", SCRIPTS);
    expect(plan.argv).toEqual(["/bin/sh", "-c", "nice python3 run.py | wc -l"]);
    expect(plan.executable.realPath).toBe("/usr/bin/sh");
    expect(nested(plan)).toEqual(["/usr/bin/nice", "/usr/bin/python3", "/usr/bin/wc"]);
    expect(files(plan)).toEqual(["2 /home/u/p/run.py"]);
    expect(shown(plan.asRequested)).toBe(
      "{ /usr/bin/nice(nice python3 run.py) script@2=/home/u/p/run.py carried@1=/usr/bin/python3 | /usr/bin/wc(wc -l) }",
    );
  });

  test("that cannot be analysed is left to /bin/sh and binds nothing inside", () => {
    const plan = planned("ls $HOME");
    expect(shown(plan.asRequested)).toBe("/usr/bin/sh(/bin/sh -c ls $HOME)");
    expect([nested(plan), files(plan), plan.unbound.length]).toEqual([[], [], 1]);
  });

  test.each([
    ["a builtin", "source venv/bin/activate && ls"],
    ["wait", "sleep 1 & wait"],
    ["a program that is not there", "nosuch || ls"],
    ["cd that leads nowhere in particular", "cd"],
    ["cd in the background", "cd sub && ls & id"],
    ["cd -", "cd - && ls"],
  ])("with %s is left to /bin/sh too, and no list satisfies it", (_name, text) => {
    const plan = planned(text);
    expect(shown(plan.asRequested)).toBe(`/usr/bin/sh(/bin/sh -c ${text})`);
    expect([nested(plan), files(plan), plan.unbound.length]).toEqual([[], [], 1]);
    expect(segmentsOf(plan).some(({ never, program }) => never !== null || program === null)).toBe(true);
  });

  test("moves with a leading cd", () => {
    expect(judged(planned("cd sub && ls; id"))).toBe("{ /usr/bin/ls(ls) in /home/u/p/sub ; /usr/bin/id(id) in /home/u/p/sub }");
    expect(judged(planned("cd sub && cd .. && ls"))).toBe("/usr/bin/ls(ls)");
    expect(judged(planned("cd link && cd .. && ls", { links: { "/home/u/p/link": "/usr/bin" } }))).toBe("/usr/bin/ls(ls)");
    expect(judged(planned("cd link && ls", { links: { "/home/u/p/link": "/usr/bin" } }))).toBe("/usr/bin/ls(ls) in /usr/bin");
    expect(denied("cd none && ls")).toContain("exec.cwd-invalid");
    expect(files(planned("cd sub && bash x.sh", { files: ["/home/u/p/sub/x.sh"] }))).toEqual(["2 /home/u/p/sub/x.sh"]);
  });

  test("takes `:` for nothing, and names that are also programs for those", () => {
    expect(judged(planned(": x && [ -f x ] && echo -e y"))).toBe("{ : && /usr/bin/[([ -f x ]) && /usr/bin/echo(echo -e y) }");
    expect(segmentsOf(planned(":"))).toEqual([]);
  });

  test("ends with an ampersand where it did", () => {
    expect(judged(planned("ls &"))).toBe("{ /usr/bin/ls(ls) & }");
  });

  test("of fish is not read by the rules of sh where they differ", () => {
    expect(judged(planned(["fish", "-c", "echo 'a\\' b"]))).toBe("shell-dialect");
    expect(segmentsOf(planned(["fish", "-c", "ls; and id"])).some(({ never }) => never !== null)).toBe(true);
    for (const text of ["ls a&id", "ls %self", "ls ^x", "ls {}"]) expect(judged(planned(["fish", "-c", text]))).toBe("shell-dialect");
    expect(judged(planned(["fish", "-Nc", "ls && id"]))).toBe("{ /usr/bin/ls(ls) && /usr/bin/id(id) }");
  });

  test.each([
    [["fish", "-c", "ls", "-c", "id"]],
    [["fish", "-c", "-N", "ls"]],
    [["bash", "-kc", "ls A=1"]],
    [["bash", "-xc", "ls"]],
    [["bash", "-Pc", "cd link/.. && ls"]],
    [["bash", "-o", "xtrace", "-c", "ls"]],
    [["bash", "-O", "extglob", "-c", "ls"]],
    [["bash", "-nc", "ls"]],
    [["bash", "-rcfile", "x", "-c", "ls"]],
  ])("is not looked into when an option changes what it does: %j", (argv) => {
    const [segment] = segmentsOf(planned(argv));
    expect(segment?.carries ?? segment?.never).not.toBeNull();
    expect(segment?.storable).toBe(false);
  });

  test("is looked into under a name with a version, and behind `+x`", () => {
    const zsh: Table = { programs: { "/usr/bin/zsh-5.9": "binary" } };
    expect(judged(planned(["zsh-5.9", "-fc", "ls"], zsh))).toBe("/usr/bin/ls(ls)");
    expect(judged(planned(["bash", "+x", "-c", "ls"]))).toBe("/usr/bin/ls(ls)");
  });

  test("that carries a builtin by position is never taken for the program of that name", () => {
    const table: Table = { programs: { "/usr/bin/command": "binary", "/usr/bin/read": "binary" } };
    for (const name of ["eval", "command", "read", "."]) {
      expect(segmentsOf(planned(["sh", "-c", '"$@"', "_", name, "x"], table))[0]?.storable).toBe(false);
    }
  });
});

describe("package runners", () => {
  const table: Table = {
    ...SCRIPTS,
    programs: { "/home/u/node_modules/.bin/tsc": "#!/usr/bin/env node", "/home/u/p/node_modules/.bin/tsx": "binary" },
  };

  test("are looked through to what the project has installed", () => {
    const plan = planned(["npx", "tsc", "--noEmit"], table);
    expect(judged(plan)).toBe("/home/u/node_modules/.bin/tsc(tsc --noEmit)");
    expect(shown(plan.asRequested)).toBe("/usr/bin/npx(npx tsc --noEmit)");
    expect(nested(plan)).toEqual(["/home/u/node_modules/.bin/tsc", "/usr/bin/env", "/usr/bin/node"]);
    expect(segmentsOf(plan)[0]).toMatchObject({ argv: ["tsc", "--noEmit"], wrappers: ["npx"], never: null });
  });

  test("bind the script behind the program", () => {
    expect(files(planned(["pnpm", "--reporter", "silent", "exec", "tsx", "./run.ts"], table))).toEqual(["5 /home/u/p/run.ts"]);
  });

  test.each([
    ["it would be fetched", ["npx", "cowsay"]],
    ["it is always fetched", ["pnpm", "dlx", "tsc"]],
    ["the runner has options of its own", ["npx", "--yes", "tsc"]],
  ])("satisfy nothing when %s", (_name, argv) => {
    expect(segmentsOf(planned(argv, table))[0]).toMatchObject({ storable: false });
    expect(segmentsOf(planned(argv, table))[0]?.never).not.toBeNull();
  });

  test("with a text for a shell are what they are", () => {
    expect(segmentsOf(planned(["npx", "-c", "tsc"], table))[0]?.carries).not.toBeNull();
  });
});

describe("what no list may satisfy", () => {
  test.each([
    ["countersign itself", ["/usr/bin/countersign", "approve", "x"]],
    ["countersign behind a wrapper", ["nice", "/usr/bin/countersign"]],
    ["a path into the state directory", ["cat", "/home/u/.local/state/countersign/operator.token"]],
    ["the same in an option", ["curl", "-o/home/u/.local/state/countersign/x", "--data=@/home/u/.local/state/countersign/x"]],
    ["the same through `..`", ["cat", "../.local/state/countersign/x"]],
    ["the same through a link", ["cat", "state/operator.token"]],
    ["a link to the directory itself", ["cat", "state"]],
  ])("%s", (_name, argv) => {
    const table = {
      programs: { "/usr/bin/countersign": "binary" },
      links: { "/home/u/p/state": "/home/u/.local/state/countersign" },
      files: ["/home/u/.local/state/countersign/x"],
    };
    const [segment] = segmentsOf(planned(argv, table));
    expect(segment?.never).not.toBeNull();
    expect(segment?.storable).toBe(false);
  });
});

describe("a link under another name", () => {
  test.each([
    ["an interpreter", ["./py", "-c", "1"], "/usr/bin/python3"],
    ["a shell", ["./py", "-c", "ls"], "/usr/bin/bash"],
    ["a wrapper", ["./py", "ls"], "/usr/bin/sudo"],
    ["a carrier", ["./py", "ls"], "/usr/bin/xargs"],
  ])("is still %s", (_name, argv, target) => {
    expect(segmentsOf(planned(argv, { links: { "/home/u/p/py": target } }))[0]?.carries).not.toBeNull();
  });
});
