import { interpreterNamed } from "../../analysis/interpreters.ts";
import { readOptions } from "../../analysis/options.ts";
import { descriptorPath, nameOf, type ScriptHost, withScriptAt } from "./script-use.ts";

/** -c names the file it checked, -x and -S look for the script by themselves, -d and -D show it. */
const CHANGING = new Set(["-c", "-x", "-S", "-d", "-D"]);

/**
 * perlsyn(1), "Plain Old Comments (Not!)": a `# line` comment says where the next line comes from, for `__FILE__` and every message. The
 * `#!` line stays the first, because perl reads its options from there. `DATA` goes on behind `__END__` as ever.
 */
export const hostForPerl: ScriptHost = (use) => {
  const row = interpreterNamed("perl");
  const name = nameOf(use);
  const read = row === null ? null : readOptions(use.argv.slice(0, use.index), row);
  if (read === null || name.includes('"') || read.options.some((option) => CHANGING.has(option.name))) return null;
  const bytes = Buffer.from(use.bytes.buffer, use.bytes.byteOffset, use.bytes.byteLength);
  const newline = bytes.indexOf("\n");
  const first = bytes.subarray(0, 2).toString("latin1") === "#!" ? (newline < 0 ? bytes.length : newline + 1) : 0;
  const quoted = name.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const own = `BEGIN{$0='${quoted}';if(open(my $h,'<&=',${use.descriptor})){close $h}}\n# line ${first === 0 ? 1 : 2} "${name}"\n`;
  const content = Buffer.concat([
    bytes.subarray(0, first),
    Buffer.from(first > 0 && newline < 0 ? `\n${own}` : own),
    bytes.subarray(first),
  ]);
  return { argv: withScriptAt(use, descriptorPath(use)), content };
};
