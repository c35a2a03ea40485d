import { constants } from "node:os";

const NAMES: ReadonlyMap<number, NodeJS.Signals> = new Map(
  Object.entries(constants.signals).flatMap(([name, number]) => (isSignal(name) ? [[number, name] as const] : [])),
);

/** `SIGTERM` for 15. A real-time signal has no name of its own, signal(7). */
export function signalName(number: number): string {
  return NAMES.get(number) ?? `SIG${number}`;
}

export function signalNumber(name: NodeJS.Signals): number {
  return constants.signals[name];
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}
