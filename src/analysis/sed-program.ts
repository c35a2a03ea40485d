/**
 * Whether a sed program only prints, deletes and substitutes. GNU sed also runs commands (`e`, `s///e`) and writes files (`w`, `s///w`);
 * instead of looking for those, the harmless part of the grammar is named here and everything else counts as carrying.
 */
export function isHarmlessSedProgram(program: string): boolean {
  if (program.trim() === "") return false;
  let rest = program;
  while (rest !== "") {
    const next = COMMAND.exec(rest);
    if (next === null || next[0] === "") return false;
    rest = rest.slice(next[0].length);
  }
  return true;
}

/** A number, `$`, `first~step`, `+n`, or a pattern between slashes or bars. */
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|[+~]\d+|/(?:[^/\\\n]|\\.)*/[IM]*|\\\|(?:[^|\\\n]|\\.)*\|[IM]*)`;
const BETWEEN = ["/", "|", "#", ",", "@", ":", "%", "!", "_", "~"].map((mark) => {
  const quoted = mark === "|" ? "\\|" : mark;
  const body = String.raw`(?:[^${quoted}\\]|\\[\s\S])*`;
  return `s${quoted}${body}${quoted}${body}${quoted}[gpiIm0-9]*|y${quoted}${body}${quoted}${body}${quoted}`;
});
const COMMAND = new RegExp(
  String.raw`^[\s;]*(?:${ADDRESS}(?:,${ADDRESS})?)?\s*!?\s*(?:${BETWEEN.join("|")}|[pdqQDPhHgGxnNl=]|[qQ]\d+)\s*(?:[;\n]\s*|$)`,
);
