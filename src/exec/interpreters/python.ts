import { interpreterNamed } from "../../analysis/interpreters.ts";
import { readOptions } from "../../analysis/options.ts";
import { programName } from "../../analysis/program-name.ts";
import { asProgramText, descriptorPath, nameOf, type ScriptHost, type ScriptUse } from "./script-use.ts";

/**
 * python(1) with -c: runs the sealed bytes as `__main__`, which sees the `sys.argv`, `sys.path`, `__file__` and `__loader__` that it would
 * see as a script, leaves no name of its own behind, and shows nothing of itself in a traceback. From 2.7 to 3.13.
 */
const PRELUDE = `try:
    exec((lambda s, o, g: (
        s.argv.pop(0),
        s.path.__setitem__(0, o.path.dirname(o.path.realpath(s.argv[0]))) if s.path[:1] == [''] else None,
        g.update(__file__=s.argv[0] if s.version_info < (3, 9) else o.path.join(o.getcwd(), s.argv[0])),
        g.update(__cached__=None, __loader__=s.modules['_frozen_importlib_external'].SourceFileLoader('__main__', g['__file__'])) if s.version_info > (3,) else None,
        compile((lambda f: (o.read(f, o.fstat(f).st_size), o.close(f), o.close(NUMBER))[0])(o.open('PATH', o.O_RDONLY)), g['__file__'], 'exec', 0, True),
    )[-1])(__import__('sys'), __import__('os'), globals()))
except (SystemExit, KeyboardInterrupt):
    raise
except BaseException as e:
    import sys
    t, _, b = sys.exc_info()
    while b and b.tb_frame.f_code.co_filename == '<string>':
        b = b.tb_next
    if hasattr(e, '__traceback__'):
        e.__traceback__ = b
    sys.excepthook(t, e, b)
    sys.exit(1)
`;

/** -x skips a line, -i goes on afterwards. */
const CHANGING = new Set(["-x", "-i"]);

export const hostForPython: ScriptHost = (use) => {
  const row = interpreterNamed(programName(use.argv[0] ?? "")) ?? interpreterNamed("python");
  const read = row === null ? null : readOptions(use.argv.slice(0, use.index), row);
  if (read === null || read.unknown !== null || read.options.some(({ name }) => CHANGING.has(name)) || isCompiled(use)) return null;
  const text = PRELUDE.replace("NUMBER", String(use.descriptor)).replace("PATH", descriptorPath(use));
  return { argv: asProgramText(use, "-c", text), content: null };
};

/** Byte code, or an archive, whose directory stands at its end: Python runs those too, and finds them by their name. */
function isCompiled(use: ScriptUse): boolean {
  const { bytes } = use;
  const tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - 65_557)));
  return /\.py[co]$/.test(nameOf(use)) || (bytes[2] === 0x0d && bytes[3] === 0x0a) || tail.includes("PK\u0005\u0006");
}
