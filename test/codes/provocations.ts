/** For every code of the protocol a conversation that ends in it, or the reason why there is none. The type sees to it that none is missing. */
import type { Code } from "../../src/core/codes.ts";
import type { Bench } from "./bench.ts";
import { ASKING } from "./provoke-approval.ts";
import { RUNNING } from "./provoke-run.ts";
import { STATE } from "./provoke-state.ts";
import { WIRE } from "./provoke-wire.ts";

export type Provocation = ((bench: Bench) => Promise<string>) | { readonly cannot: string };
export type Provocations<Prefix extends string> = Readonly<Record<Extract<Code, `${Prefix}${string}`>, Provocation>>;

export const PROVOCATIONS: Readonly<Record<Code, Provocation>> = { ...WIRE, ...ASKING, ...RUNNING, ...STATE };
