import { describe, expect, test } from "vitest";
import { rawCommandMatches } from "../../src/wire/raw-command.ts";

describe("what a client showed and what it sends to be run", () => {
  test.each([
    ["the words with single spaces", "ls -l /tmp", ["ls", "-l", "/tmp"]],
    ["a word in double quotes, as OpenClaw joins them", '/bin/echo "hi é"', ["/bin/echo", "hi é"]],
    ["a double quote inside a word", '/bin/echo "say \\"hi\\""', ["/bin/echo", 'say "hi"']],
    ["a word in single quotes, as a shell reads it", "echo 'a  b'", ["echo", "a  b"]],
    ["an empty word", 'printf ""', ["printf", ""]],
    ["a trimmed word, as OpenClaw shows it", "echo hi", ["echo", " hi "]],
    ["the text a shell is given", "git status && ls", ["/bin/sh", "-lc", "git status && ls"]],
    ["the text a shell is given behind env", "ls", ["/usr/bin/env", "LANG=C", "/bin/sh", "-c", "ls"]],
    ["nothing at all", "", ["ls"]],
  ])("%s stand for each other", (_, raw, argv) => {
    expect(rawCommandMatches(raw, argv)).toBe(true);
  });

  test.each([
    ["another command", "echo safe", ["/usr/bin/touch", "/tmp/x"]],
    ["a command that leaves a word out", "rm", ["rm", "-rf", "/"]],
    ["a positional parameter of the shell, not its text", "echo safe", ["/bin/sh", "-c", "touch /tmp/x", "echo safe"]],
    ["the same words joined by an operator", "ls ; ls", ["ls", ";", "ls", "x"]],
    ["a word that two words were made of", "rm a b", ["rm", "a b"]],
    ["the text of one shell of two", "echo safe", ["/bin/sh", "-x", "echo safe"]],
  ])("%s does not", (_, raw, argv) => {
    expect(rawCommandMatches(raw, argv)).toBe(false);
  });
});
