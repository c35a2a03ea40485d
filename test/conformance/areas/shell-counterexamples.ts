import { readShellText } from "../../../src/analysis/shell-text.ts";
import type { Area } from "../area.ts";
import { same, textOf } from "../reading.ts";

/** `shell-counterexamples.json`: texts that some parser reads differently from bash. Refuse, or find exactly what bash runs. */
export const area: Area = {
  name: "shell-counterexamples",
  check({ whole }) {
    const read = readShellText(textOf(whole["input"]));
    if (!read.ok) return null;
    const found = read.value.map(({ argv }) => argv);
    // Bash starts what `&` joins side by side, so the recorder's order is not the text's.
    const background = read.value.some(({ operator }) => operator === "&");
    const inOrder = (list: readonly unknown[]): readonly string[] => {
      const lines = list.map((argv) => JSON.stringify(argv));
      return background ? lines.sort() : lines;
    };
    const runs = whole["bashRuns"];
    if (Array.isArray(runs) && same(inOrder(found), inOrder(runs))) return null;
    return `found ${JSON.stringify(found)}, bash runs ${JSON.stringify(runs)}`;
  },
};
