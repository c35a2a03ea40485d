/** Whether an agent is one of those a credential was given for: ids, or patterns in which `*` stands for any run of characters. */
export function coversAgent(patterns: readonly string[] | null, agent: string): boolean {
  return patterns === null || patterns.some((pattern) => matches(pattern, agent));
}

/** Each part is found once, from left to right: linear, however many stars. */
function matches(pattern: string, agent: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return pattern === agent;
  if (!agent.startsWith(head) || agent.length < head.length + tail.length || !agent.endsWith(tail)) return false;
  let from = head.length;
  for (const middle of rest) {
    const found = agent.indexOf(middle, from);
    if (found < 0 || found + middle.length > agent.length - tail.length) return false;
    from = found + middle.length;
  }
  return true;
}
