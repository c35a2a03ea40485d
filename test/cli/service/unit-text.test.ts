import { describe, expect, test } from "vitest";
import { plistText, serviceText, systemdWord, userStateText } from "../../../src/cli/service/unit-text.ts";

const TEMPLATE = "NotifyAccess=main\nExecStart=/usr/bin/env countersign daemon --state-dir %h/.local/state/countersign\n";
const program = { node: "/opt/node/bin/node", main: "/opt/countersign/main.js" };

describe("words of an ExecStart line", () => {
  test.each([
    { name: "a plain path stays as it is", word: "/usr/bin/node", becomes: "/usr/bin/node" },
    { name: "a percent sign is no specifier", word: "/opt/50%h/node", becomes: "/opt/50%%h/node" },
    { name: "a dollar sign is no variable", word: "/opt/$HOME/node", becomes: "/opt/$$HOME/node" },
    { name: "a blank is quoted", word: "/opt/my node/node", becomes: '"/opt/my node/node"' },
    { name: "quotes and backslashes are escaped", word: '/opt/a"b\\c', becomes: '"/opt/a\\"b\\\\c"' },
  ])("$name", ({ word, becomes }) => {
    expect(systemdWord(word)).toBe(becomes);
  });
});

describe("a unit", () => {
  test("names the program of this installation by its full path", () => {
    expect(serviceText(TEMPLATE, program, { native: true })).toContain("ExecStart=/opt/node/bin/node /opt/countersign/main.js daemon");
  });

  test("lets every process speak for it only where native code is missing", () => {
    expect(serviceText(TEMPLATE, program, { native: true })).toContain("NotifyAccess=main");
    expect(serviceText(TEMPLATE, program, { native: false })).toContain("NotifyAccess=all");
  });

  test("that does not hold the shipped command is a defect of ours and not silently left as it is", () => {
    expect(() => serviceText("ExecStart=/bin/true", program, { native: true })).toThrow("does not hold");
  });

  test("moves to another state directory, on the command line and in the socket", () => {
    const socket = "ListenStream=%h/.local/state/countersign/exec-approvals.sock\n";
    expect(userStateText(TEMPLATE, "/srv/my state")).toContain('--state-dir "/srv/my state"');
    expect(userStateText(socket, "/srv/my 5% state")).toBe("ListenStream=/srv/my 5%% state/exec-approvals.sock\n");
    expect(userStateText(socket, null)).toBe(socket);
  });
});

test("a property list escapes what XML would read as markup", () => {
  expect(plistText("<string>@NODE@ @MAIN@ @STATE@</string>", { node: "/a&b", main: "/c<d>" }, "/e$&f")).toBe(
    "<string>/a&amp;b /c&lt;d&gt; /e$&amp;f</string>",
  );
});
