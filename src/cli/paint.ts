type Ink = (text: string) => string;

/** Colour, or its absence: the same words either way, so that nothing is said by colour alone. */
export interface Paint {
  readonly bold: Ink;
  readonly dim: Ink;
  readonly red: Ink;
  readonly green: Ink;
  readonly yellow: Ink;
  readonly cyan: Ink;
}

/** `no-color.org`: any non-empty NO_COLOR turns it off; FORCE_COLOR, for people who page, turns it on again and `0` off. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

export function painter(on: boolean): Paint {
  const style = (begin: number) => (text: string) => (on && text !== "" ? begun(begin) + text + begun(endOf(begin)) : text);
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), yellow: style(33), cyan: style(36) };
}

/** A colour that a line break cuts through ends with its line and begins again on the next, or it would run on over indents and edges. */
export function wholeColours(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.includes("\u001b["))) return lines;
  const open: number[] = [];
  return lines.map((line) => {
    const before = open.map(begun).join("");
    for (const [, digits] of line.matchAll(/\u001b\[(\d+)m/g)) {
      const code = Number(digits);
      const at = open.findLastIndex((begin) => endOf(begin) === code);
      if (at >= 0) open.splice(at, 1);
      else open.push(code);
    }
    return (
      before +
      line +
      open
        .toReversed()
        .map((begin) => begun(endOf(begin)))
        .join("")
    );
  });
}

function begun(code: number): string {
  return `\u001b[${code}m`;
}

/** ECMA-48, SGR: 22 ends both bold and faint, 39 any colour. */
function endOf(begin: number): number {
  return begin < 30 ? 22 : 39;
}
