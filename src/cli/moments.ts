/** Spans of time as a person says them: two units at most, the rest is noise. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return both(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return both(hours, "h", minutes % 60, "min");
  return both(Math.floor(hours / 24), "days", hours % 24, "h");
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

export function agoText(atMs: number, nowMs: number): string {
  return nowMs - atMs < 1000 ? "just now" : `${spanText(nowMs - atMs)} ago`;
}

/** To one unit, for a column of a table. */
export function roughlyAgo(atMs: number, nowMs: number): string {
  const [number = "", unit = ""] = spanText(nowMs - atMs).split(" ");
  return nowMs - atMs < 1000 ? "just now" : `${number} ${unit} ago`;
}

export function leftText(untilMs: number, nowMs: number): string {
  return untilMs <= nowMs ? "expired" : `${spanText(untilMs - nowMs)} left`;
}

/** To the second, in the reader's own time zone. */
export function momentText(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
