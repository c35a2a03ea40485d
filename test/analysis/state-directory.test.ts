import { describe, expect, test } from "vitest";
import type { Machine } from "../../src/analysis/machine.ts";
import { argumentInState } from "../../src/analysis/state-directory.ts";
import { at, CWD, tableMachine } from "./table-machine.ts";

const DEEP = 1500;

/** A machine on which directories lie inside each other, and that counts how often it is asked. */
function counting(deepest: string): { readonly machine: Machine; readonly asked: () => number } {
  const table = tableMachine();
  let asked = 0;
  const machine: Machine = {
    ...table,
    realPath(path) {
      asked += 1;
      return deepest === path || deepest.startsWith(`${path}/`) || path === "/" ? path : table.realPath(path);
    },
  };
  return { machine, asked: () => asked };
}

test("a link to nothing is followed as the kernel would: what `..` climbs from is where another link leads", () => {
  const state = tableMachine().stateDirectory;
  const links = { [`${CWD}/d`]: `${state}/audit`, [`${CWD}/L`]: "d/../new.json" };
  const machine = tableMachine({ links, others: [`${state}/audit/x`] });
  expect(argumentInState(["cat", "L"], CWD, machine)).toBe("L");
});

describe("an argument that lies deep", () => {
  test.each([
    ["is there", `/home/u/p${"/d".repeat(DEEP)}`],
    ["is missing at its end", `/home/u/p${"/d".repeat(DEEP)}/x`],
    ["is missing from the middle on", `/home/u/p${"/d".repeat(DEEP / 2)}${"/x".repeat(DEEP / 2)}`],
  ])("and %s takes a handful of looks", (_, path) => {
    const { machine, asked } = counting(`/home/u/p${"/d".repeat(DEEP)}`);
    expect(argumentInState(["cat", path], CWD, machine)).toBeNull();
    expect(asked()).toBeLessThan(60);
  });

  test("and would be made inside the state is found all the same", () => {
    const inside = `${tableMachine().stateDirectory}/a/b/c`;
    expect(argumentInState(["cat", inside], at("/tmp"), tableMachine())).toBe(inside);
  });
});
