import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { SHARED_FLAGS } from "../../src/cli/flags.ts";
import { commandsPage, daemonPage } from "../../src/cli/manual/manual.ts";
import { paragraph } from "../../src/cli/manual/roff.ts";
import { countersign } from "../support/countersign.ts";
import { canRun } from "../support/tmux.ts";

const hasMandoc = canRun("mandoc", ["-Tlint", "-Wstyle", "/dev/null"]) || canRun("mandoc", ["/dev/null"]);

describe("the manual pages", () => {
  test("name every command and every flag there is", () => {
    const text = commandsPage()
      .replaceAll("\\-", "-")
      .replaceAll(/\\f[BIR]/g, "");
    for (const { name, flags = {} } of COMMANDS) {
      expect(text).toContain(`.SS countersign ${name}\n`);
      for (const flag of [...Object.keys(flags), ...Object.keys(SHARED_FLAGS)]) expect(text).toContain(`--${flag}`);
    }
  });

  test.each([
    { name: "a line that would be a request", text: ".SH EVIL", is: "\\&.SH EVIL" },
    { name: "a backslash", text: "a\\b", is: "a\\eb" },
    { name: "what stands in backticks is bold", text: "say `--now`", is: "say \\fB\\-\\-now\\fR" },
  ])("$name", ({ text, is }) => {
    expect(paragraph(text)).toBe(is);
  });

  test.runIf(hasMandoc).each([
    { name: "countersign(1)", page: commandsPage },
    { name: "countersign(8)", page: daemonPage },
  ])("mandoc finds no error in $name and formats it (needs mandoc)", ({ page }) => {
    const lint = lintOf(page());
    expect(lint).toBe("");
    const shown = execFileSync("mandoc", ["-Tutf8"], { input: page(), encoding: "utf8" });
    expect(shown).toContain(
      "EXIT STATUS"
        .split("")
        .map((char) => (char === " " ? char : `${char}\b${char}`))
        .join(""),
    );
  });

  test("a section that does not exist is a mistake", async () => {
    expect((await countersign(["man", "5"])).exitCode).toBe(64);
    expect((await countersign(["man", "8"])).stdout).toContain(".TH COUNTERSIGN 8");
  });
});

/** Warnings and worse; what mandoc calls style is a matter of taste between its version and ours. */
function lintOf(page: string): string {
  try {
    return execFileSync("mandoc", ["-Tlint", "-Wwarning"], { input: page, encoding: "utf8" });
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  }
}
