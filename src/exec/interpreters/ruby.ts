import { interpreterNamed } from "../../analysis/interpreters.ts";
import { readOptions } from "../../analysis/options.ts";
import { asProgramText, descriptorPath, type ScriptHost, type ScriptUse } from "./script-use.ts";

/**
 * ruby(1) with -e: compiles the sealed bytes under the script's own name and real path, so that `__FILE__`, `__dir__`, `require_relative`,
 * `DATA` and backtraces are what they would be.
 */
const PRELUDE = `$0 = ARGV.shift
->(text) {
  if (end_of_code = text.b[/.*?^__END__\\r?(?:\\n|\\z)/m])
    Object.const_set(:DATA, File.open("PATH")).seek(end_of_code.bytesize)
    name = $0
    DATA.define_singleton_method(:path) { name }
  end
  IO.for_fd(NUMBER).close
  begin
    RubyVM::InstructionSequence.compile(text, $0, File.realpath($0), 1).eval
  rescue SystemExit, SignalException
    raise
  rescue Exception => error
    error.set_backtrace(error.backtrace.reject { |line| line.start_with?("-e:") }.map { |line| line.sub("<compiled>", "<main>") })
    raise error
  end
}.(IO.binread("PATH").force_encoding(Encoding::UTF_8))
`;

const KEPT = new Set([
  "-w",
  "-W",
  "-v",
  "-d",
  "-I",
  "-r",
  "-E",
  "-U",
  "-K",
  "--enable",
  "--disable",
  "--encoding",
  "--verbose",
  "--debug",
  "--yjit",
  "--jit",
]);

export const hostForRuby: ScriptHost = (use) => {
  const row = interpreterNamed("ruby");
  const read = row === null ? null : readOptions(use.argv.slice(0, use.index), row);
  if (read === null || !read.options.every(({ name }) => KEPT.has(name)) || hasOptionsInside(use)) return null;
  const text = PRELUDE.replaceAll("PATH", descriptorPath(use)).replace("NUMBER", String(use.descriptor));
  return { argv: asProgramText(use, "-e", text), content: null };
};

/** ruby(1) takes options from the `#!` line of the script itself, unless it has them already. */
function hasOptionsInside({ bytes, argv, index }: ScriptUse): boolean {
  const [first = ""] = Buffer.from(bytes.subarray(0, 256)).toString("latin1").split("\n", 1);
  const options = /^#!.*ruby\S*[ \t]+(-.*?)\s*$/.exec(first)?.[1];
  return options !== undefined && !argv.slice(1, index).includes(options);
}
