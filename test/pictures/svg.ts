/** Terminal output as a picture: the escape sequences that our own paint uses, on a grid, in one self-contained SVG. */

interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: Style;
}

const PLAIN: Style = { colour: "#d4d4d8", bold: false, dim: false };
const COLOURS: ReadonlyMap<number, string> = new Map([
  [31, "#f87171"],
  [32, "#86c98b"],
  [33, "#e5c07b"],
  [36, "#7cc7d6"],
]);
const [CELL_WIDTH, CELL_HEIGHT, MARGIN] = [8, 18, 14];

export function svgOf(lines: readonly string[], columns: number, title: string): string {
  const width = columns * CELL_WIDTH + 2 * MARGIN;
  const height = lines.length * CELL_HEIGHT + 2 * MARGIN;
  const rows = lines.flatMap((line, row) => runsOf(line).map((run) => textOf(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${xml(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#18181b"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" xml:space="preserve" style="white-space:pre">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Every run says how wide it is, so that the grid holds in whatever font the reader has. */
function textOf({ column, text, style }: Run, row: number): string {
  const [x, y] = [MARGIN + column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT + 13];
  const weight = style.bold ? ' font-weight="bold"' : "";
  const opacity = style.dim ? ' opacity="0.6"' : "";
  const wide = Array.from(text).length * CELL_WIDTH;
  return `<text x="${x}" y="${y}" fill="${style.colour}"${weight}${opacity} textLength="${wide}" lengthAdjust="spacingAndGlyphs">${xml(text)}</text>`;
}

export function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let style = PLAIN;
  let column = 0;
  for (const [, code, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
    if (text === undefined) {
      for (const number of (code ?? "").split(";")) style = styled(style, Number(number));
      continue;
    }
    const blank = /^ */.exec(text)?.[0].length ?? 0;
    const inked = text.trim();
    if (inked !== "") runs.push({ column: column + blank, text: inked, style });
    column += Array.from(text).length;
  }
  return runs;
}

function styled(style: Style, code: number): Style {
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 39:
      return { ...style, colour: PLAIN.colour };
    default:
      return { ...style, colour: COLOURS.get(code) ?? style.colour };
  }
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
