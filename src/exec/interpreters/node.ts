import { extname } from "node:path";
import { interpreterNamed } from "../../analysis/interpreters.ts";
import { readOptions } from "../../analysis/options.ts";
import { asProgramText, mentions, type ScriptHost } from "./script-use.ts";

/**
 * node(1) with -e: makes the sealed bytes the main module under its own name, CommonJS or ESM as Node itself would decide, and takes back
 * what -e adds to the globals. Node never opens the script by its path, so nothing it could decide otherwise leads there. Node 20 to 26.
 */
const PRELUDE = `{
const Module = require('module'), fs = require('fs'), path = require('path'), vm = require('vm'), url = require('url');
const source = ((fd) => {
  const bytes = Buffer.allocUnsafe(fs.fstatSync(fd).size);
  for (let at = 0, count = 1; at < bytes.length && count > 0; at += count) count = fs.readSync(fd, bytes, at, bytes.length - at, at);
  fs.closeSync(fd);
  return bytes.toString('utf8').replace(/^\\uFEFF/, '');
})(NUMBER);
const kept = ['console', 'crypto', 'performance', 'process'];
for (const name of [...Module.builtinModules, 'exports', 'require', '__filename', '__dirname']) if (!kept.includes(name)) delete globalThis[name];
delete process._eval;
process.execArgv.splice(-2);
process.argv[1] = path.resolve(process.argv[1]);
const [major, minor] = process.versions.node.split('.').map(Number);
const names = ['exports', 'require', 'module', '__filename', '__dirname'];
const typeOf = () => {
  for (let at = path.dirname(FILE); path.basename(at) !== 'node_modules'; at = path.dirname(at)) {
    try {
      return JSON.parse(fs.readFileSync(path.join(at, 'package.json'), 'utf8')).type || 'none';
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    }
    if (at === path.dirname(at)) break;
  }
  return FILE.includes('/node_modules/') ? 'commonjs' : 'none';
};
const isModule = () => {
  const type = { '.mjs': 'module', '.cjs': 'commonjs' }[path.extname(FILE)] || typeOf();
  if (type === 'module') return true;
  try {
    vm.compileFunction(source, names, { filename: FILE });
    return false;
  } catch (error) {
    const looks = major > 22 || (major === 22 && minor >= 7) || (major === 20 && minor >= 19);
    const shape = /import statement outside|token 'export'|'import\\.meta' outside|await is only valid|reserved word|Identifier '\\w+' has already/;
    if (type === 'none' && looks && shape.test(error.message)) return true;
    throw error;
  }
};
if (isModule()) {
  const main = url.pathToFileURL(FILE).href;
  const hooks = 'let m; export const initialize = (d) => { m = d; }; export const load = (u, c, next) => u === m.url ? { format: "module", source: m.source, shortCircuit: true } : next(u, c);';
  if (Module.registerHooks) Module.registerHooks({ load: (u, c, next) => (u === main ? { format: 'module', source, shortCircuit: true } : next(u, c)) });
  else Module.register('data:text/javascript,' + encodeURIComponent(hooks), { parentURL: main, data: { url: main, source } });
  const unsettled = () => { process.exitCode ??= 13; };
  process.on('exit', unsettled);
  process.nextTick(() => {
    delete globalThis.module;
    import(main).finally(() => process.off('exit', unsettled));
  });
} else {
  const main = new Module(FILE, null);
  main.filename = FILE;
  main.paths = Module._nodeModulePaths(path.dirname(FILE));
  main.id = '.';
  process.mainModule = main;
  Module._cache[FILE] = main;
  process.nextTick(() => { delete globalThis.module; });
  if (major >= 22) main._compile(source, FILE, 'commonjs');
  else main._compile(source, FILE);
  main.loaded = true;
}
}`;

const EXTENSIONS = new Set(["", ".js", ".cjs", ".mjs"]);
/** Options that do something about the process and nothing about which file is run, or how. */
const KEPT = new Set(
  (
    "-r --require -C --conditions --no-warnings --no-deprecation --trace-warnings --trace-deprecation --throw-deprecation --trace-uncaught " +
    "--pending-deprecation --disable-warning --enable-source-maps --unhandled-rejections --expose-gc --expose_gc --max-old-space-size " +
    "--max_old_space_size --max-semi-space-size --max-http-header-size --stack-size --stack-trace-limit --use-strict --jitless --title " +
    "--dns-result-order --use-openssl-ca --use-bundled-ca --use-system-ca --tls-min-v1.2 --tls-min-v1.3 --no-experimental-fetch --env-file"
  ).split(" "),
);

export const hostForNode: ScriptHost = (use) => {
  const row = interpreterNamed("node");
  const read = row === null ? null : readOptions(use.argv.slice(0, use.index), row);
  if (read === null || !read.options.every(({ name }) => KEPT.has(name))) return null;
  // Asks whether it is the main module in a way that only Node itself can answer.
  if (!EXTENSIONS.has(extname(use.path)) || mentions(use, ["import.meta.main"])) return null;
  const file = JSON.stringify(use.path);
  const text = PRELUDE.replace("{\n", () => `{\nconst FILE = ${file};\n`).replace("NUMBER", String(use.descriptor));
  return { argv: asProgramText(use, "-e", text), content: null };
};
