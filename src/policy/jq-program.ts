/**
 * jq's language can read the environment, name the input file, load modules and end the program with a status and text of its choice. The
 * text is searched for the words that do so, strings and comments included: inside a string `\(env)` is code again, and a false alarm only
 * asks.
 */
const FORBIDDEN = new Set([
  "env", "ENV", "input_filename", "import", "include", "modulemeta", "get_search_list", "halt", "halt_error", "__prog_args", "__prog_name",
]); // biome-ignore format: a table

export function readsMoreThanItsInput(program: string): boolean {
  for (const match of program.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) {
    if (FORBIDDEN.has(match[0]) && !isField(program, match.index)) return true;
  }
  return false;
}

/** `.env` is a field of the input. `..env` is not: two dots are an expression of their own. `$__loc__::env` has no dot at all. */
function isField(program: string, at: number): boolean {
  return program[at - 1] === "." && program[at - 2] !== ".";
}
