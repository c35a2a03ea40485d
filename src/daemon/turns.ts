/**
 * One at a time for each name: an approval is looked at, written about and changed as one step, so of racing answers one is the first and
 * of racing runs one spends it. Waiting is bounded by the calls a connection may have under way.
 */
export interface Turns {
  take<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take: async (name, work) => {
      const before = last.get(name);
      const mine = before === undefined ? work() : before.then(work, work);
      last.set(name, mine);
      try {
        return await mine;
      } finally {
        if (last.get(name) === mine) last.delete(name);
      }
    },
  };
}
