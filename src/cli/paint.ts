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
  const style = (begin: number, end: number) => (text: string) => (on && text !== "" ? `\u001b[${begin}m${text}\u001b[${end}m` : text);
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  };
}
