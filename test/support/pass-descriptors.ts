/** sendmsg(2) with SCM_RIGHTS, which Node has no words for: hands copies of our standard error to whoever listens. */
import { createRequire } from "node:module";
import type * as Koffi from "koffi";

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;

export function passDescriptors(path: string, count: number): void {
  const koffi: typeof Koffi = createRequire(import.meta.url)("koffi");
  const libc = koffi.load("libc.so.6");
  const socket = libc.func("int socket(int domain, int type, int protocol)");
  const connect = libc.func("int connect(int fd, void *address, unsigned int length)");
  koffi.struct("iovec", { base: "void *", length: "size_t" });
  koffi.struct("msghdr", {
    name: "void *",
    nameLength: "unsigned int",
    iov: "iovec *",
    iovLength: "size_t",
    control: "void *",
    controlLength: "size_t",
    flags: "int",
  });
  const sendmsg = libc.func("long sendmsg(int fd, msghdr *message, int flags)");
  const close = libc.func("int close(int fd)");
  const fd = Number(socket(AF_UNIX, SOCK_STREAM, 0));
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), Buffer.from(`${path}\0`)]);
  if (Number(connect(fd, address, address.length)) !== 0) throw new Error(`cannot connect to ${path}`);
  // struct cmsghdr: a length of 8 bytes, level, type, then the descriptors.
  const control = Buffer.alloc(16 + 4 * count);
  control.writeBigUInt64LE(BigInt(control.length), 0);
  control.writeInt32LE(SOL_SOCKET, 8);
  control.writeInt32LE(SCM_RIGHTS, 12);
  for (let index = 0; index < count; index += 1) control.writeInt32LE(2, 16 + 4 * index);
  const bytes = Buffer.from("{");
  const message = {
    name: null,
    nameLength: 0,
    iov: [{ base: bytes, length: bytes.length }],
    iovLength: 1,
    control,
    controlLength: control.length,
    flags: 0,
  };
  const sent = Number(sendmsg(fd, message, 0));
  setTimeout(() => void close(fd), 1000).unref();
  if (sent !== bytes.length) throw new Error(`sendmsg sent ${sent}`);
}
