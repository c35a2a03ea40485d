import type { Server, Socket } from "node:net";

/** Node names no way to a socket's descriptor; this is where every release since 0.10 has kept it. `null` once it is closed. */
export function fdOf(socket: Socket | Server): number | null {
  const handle: unknown = Reflect.get(socket, "_handle");
  if (typeof handle !== "object" || handle === null) return null;
  const fd: unknown = Reflect.get(handle, "fd");
  return typeof fd === "number" && fd >= 0 ? fd : null;
}
