/** A Unix datagram socket to receive on, which Node does not have: for tests of what is sent to one. */
import { closeSync } from "node:fs";
import { createRequire } from "node:module";
import type * as Koffi from "koffi";

export interface Datagrams {
  /** Whatever has arrived and was not taken yet. */
  take(): readonly string[];
  close(): void;
}

export function datagramsAt(path: string): Datagrams {
  const koffi: typeof Koffi = createRequire(import.meta.url)("koffi");
  const libc = koffi.load("libc.so.6");
  const socket = libc.func("int socket(int domain, int type, int protocol)");
  const bind = libc.func("int bind(int fd, void *address, unsigned int length)");
  const recv = libc.func("long recv(int fd, void *bytes, size_t length, int flags)");
  const fd = Number(socket(1, 2, 0));
  const name = Buffer.from(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`);
  const address = Buffer.concat([Buffer.from([1, 0]), name]);
  if (Number(bind(fd, address, address.length)) !== 0) throw new Error(`cannot bind ${path}`);
  return {
    take() {
      const found: string[] = [];
      const buffer = new Uint8Array(4096);
      const MSG_DONTWAIT = 0x40;
      for (let length = Number(recv(fd, buffer, 4096, MSG_DONTWAIT)); length > 0; length = Number(recv(fd, buffer, 4096, MSG_DONTWAIT))) {
        found.push(Buffer.from(buffer.subarray(0, length)).toString("utf8"));
      }
      return found;
    },
    close: () => closeSync(fd),
  };
}
