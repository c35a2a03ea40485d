// The program in a few files instead of three hundred: a cold start reads and resolves each of them. Packages with native code, threads or
// signal hooks of their own stay outside; so does what almost nobody calls.
export default {
  input: "build/src/main.js",
  platform: "node",
  external: ["koffi", "pino", "proper-lockfile", /^@modelcontextprotocol\//],
  output: { dir: "build/bin", format: "esm", cleanDir: true, chunkFileNames: "[name]-[hash].js" },
  logLevel: "warn",
};
