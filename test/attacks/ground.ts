/** A case's own ground: `{{TMP}}` with the files it asks for, and the marker whose existence afterwards means that the attack succeeded. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";
import { isList, text, texts } from "./attack.ts";

export interface Ground {
  readonly tmp: string;
  readonly mark: string;
  readonly names: { readonly TMP: string; readonly MARK: string };
  marked(): boolean;
  /** For a second attempt on the same ground. */
  unmark(): void;
}

export function groundAt(root: string): Ground {
  const tmp = join(root, "t");
  const mark = join(root, "mark");
  mkdirSync(tmp, { recursive: true, mode: 0o755 });
  return { tmp, mark, names: { TMP: tmp, MARK: mark }, marked: () => existsSync(mark), unmark: () => rmSync(mark, { force: true }) };
}

/** One step of a `files` or `afterApproval` list, placeholders already filled. Unknown steps are an error. */
export function plant(step: JsonObject, ground: Ground): void {
  const at = (path: string): string => (isAbsolute(path) ? path : join(ground.tmp, path));
  const pair = (value: JsonObject[string]): readonly [string, string] => {
    const [one = "", other = ""] = texts(value);
    return [one, other];
  };
  if (step["path"] !== undefined || step["write"] !== undefined) return write(at(text(step["path"] ?? step["write"])), step, ground);
  if (step["mkdir"] !== undefined) return void mkdirSync(at(text(step["mkdir"])), { recursive: true, mode: modeOf(step, 0o755) });
  if (step["rmdir"] !== undefined) return rmdirSync(at(text(step["rmdir"])));
  if (step["unlink"] !== undefined) return unlinkSync(at(text(step["unlink"])));
  if (step["remove"] !== undefined) return rmSync(at(text(step["remove"])), { recursive: true });
  if (step["symlink"] !== undefined) {
    const [target, name] = pair(step["symlink"]);
    if (step["replace"] === true) rmSync(at(name), { force: true });
    return symlinkSync(target, at(name));
  }
  if (step["link"] !== undefined) {
    const [from, to] = pair(step["link"]);
    return linkSync(at(from), at(to));
  }
  if (step["rename"] !== undefined) {
    const [from, to] = pair(step["rename"]);
    return renameSync(at(from), at(to));
  }
  if (step["copy"] !== undefined) {
    const [from, to] = pair(step["copy"]);
    return copyFileSync(at(from), at(to));
  }
  if (step["append"] !== undefined) return appendFileSync(at(text(step["append"])), text(step["content"] ?? ""));
  if (step["truncate"] !== undefined) return truncateSync(at(text(step["truncate"])));
  if (step["touch"] !== undefined) return utimesSync(at(text(step["touch"])), new Date(), new Date());
  if (step["chmod"] !== undefined) {
    const [path, mode] = pair(step["chmod"]);
    return chmodSync(at(path), Number.parseInt(mode, 8));
  }
  throw new Error(`nothing here plays the step ${JSON.stringify(step)}`);
}

export function plantAll(files: JsonObject[string], ground: Ground): void {
  if (files === undefined || files === null) return;
  if (!isList(files)) throw new Error("`files` is not a list");
  for (const file of files) {
    if (typeof file !== "object" || file === null || isList(file)) throw new Error(`not a file: ${JSON.stringify(file)}`);
    plant(file, ground);
  }
}

function modeOf(step: JsonObject, otherwise: number): number {
  const { mode } = step;
  return typeof mode === "string" && /^[0-7]+$/.test(mode) ? Number.parseInt(mode, 8) : otherwise;
}

function write(path: string, step: JsonObject, ground: Ground): void {
  mkdirSync(dirname(path), { recursive: true });
  if (step["generate"] !== undefined) generate(path, text(step["generate"]), ground);
  else writeFileSync(path, text(step["content"] ?? ""));
  if (typeof step["mode"] === "string" && step["mode"] !== "dir") chmodSync(path, modeOf(step, 0o644));
}

/** Files that no text can describe, recognised by the words of their description. */
function generate(path: string, wanted: string, ground: Ground): void {
  if (/git.?repo/i.test(wanted)) return makeRepository(path, /hook/i.test(wanted), ground);
  const archived = /tar of (\S+)/.exec(wanted)?.[1];
  if (archived !== undefined) return must("tar", ["cf", path, archived]);
  if (/shared object/i.test(wanted)) return makeSharedObject(path, ground);
  const size = /(\d+) ?([KMG])iB/.exec(wanted);
  if (size !== null) {
    writeFileSync(path, "");
    return truncateSync(path, Number(size[1]) * 1024 ** " KMG".indexOf(size[2] ?? ""));
  }
  if (/fifo|named pipe/i.test(wanted)) return must("mkfifo", [path]);
  throw new Error(`nothing here can generate \`${wanted}\``);
}

function makeRepository(path: string, withHook: boolean, ground: Ground): void {
  mkdirSync(path, { recursive: true });
  const git = (...args: readonly string[]): void => must("git", ["-C", path, "-c", "user.name=t", "-c", "user.email=t@invalid", ...args]);
  git("init", "-q");
  git("config", "user.name", "t");
  git("config", "user.email", "t@invalid");
  writeFileSync(join(path, "a"), "one\n");
  git("add", "a");
  git("commit", "-q", "-m", "one");
  writeFileSync(join(path, "a"), "two\n");
  if (withHook) writeFileSync(join(path, ".git/hooks/pre-commit"), `#!/bin/sh\ntouch ${ground.mark}\n`, { mode: 0o755 });
}

/** Without a compiler the file is only a name: the attack is then about whether the name may be set at all. */
function makeSharedObject(path: string, ground: Ground): void {
  const source = `${path}.c`;
  writeFileSync(
    source,
    `#include <fcntl.h>\n__attribute__((constructor)) static void mark(void) { open("${ground.mark}", O_CREAT | O_WRONLY, 0600); }\nunsigned la_version(unsigned v) { return v; }\n`,
  );
  const compiled = spawnSync("cc", ["-shared", "-fPIC", "-o", path, source], { stdio: "ignore" });
  if (compiled.status !== 0) writeFileSync(path, "");
}

function must(command: string, args: readonly string[]): void {
  const ended = spawnSync(command, args, { env: { PATH: process.env["PATH"], HOME: "/nonexistent" }, encoding: "utf8" });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${ended.stderr}`);
}
