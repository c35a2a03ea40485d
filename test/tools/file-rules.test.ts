import { existsSync, mkdirSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  PATH_BYTES_MAX,
  PATH_LINKS_FOLLOWED_MAX,
  PATH_PARTS_MAX,
  PATHS_PER_CALL_MAX,
  READ_SIZE_DEFAULT_BYTES,
} from "../../src/core/limits.ts";
import { findPlace } from "../../src/tools/real-place.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { ask, load, type Question } from "./asking.ts";
import { path, toolMachine } from "./table-machine.ts";

/** `allow`, or the rule that said no. */
function ruling(tools: Parameters<typeof load>[0], tool: string, question: Question): string {
  const { allowed, layers } = ask(load(tools), tool, question);
  return allowed ? "allow" : (layers.at(-1)?.rule ?? "");
}

const at = (place: string, more: Omit<Question, "args"> = {}): Question => ({
  args: { path: place, cwd: "/home/u/Projects/app" },
  ...more,
});

describe("read and write paths", () => {
  const config = {
    tools: {
      read: { allow: ["~/Projects/**", "/tmp/**"], deny: ["~/.ssh/**", "/tmp/**/secret"] },
      write: { allow: ["~/Projects/**"], deny: ["~/Projects/**/.git/**"] },
    },
  };

  test.each([
    ["read", "a.ts", "allow"],
    ["read", "./x/../a.ts", "allow"],
    ["read", "../../.ssh/id_rsa", "~/.ssh/**"],
    ["read", "~/.ssh", "~/.ssh/**"],
    ["read", "~", "`/home/u` is not listed"],
    ["read", "~root/.ssh/id", "a relative path needs `args.cwd` or a workspace, and `~` stands for no other user's home"],
    ["read", "/tmp/secret", "/tmp/**/secret"],
    ["read", "/tmp/a/b/secret", "/tmp/**/secret"],
    ["read", "//tmp//a/", "allow"],
    ["read", "/tmpx/a", "`/tmpx/a` is not listed"],
    ["read", "/TMP/a", "`/TMP/a` is not listed"],
    ["read", "file:///tmp/a", "a path is wanted, not a URL"],
    ["read", "", "the path is empty, too long or holds NUL"],
    ["read", "/tmp/a\0/etc/passwd", "the path is empty, too long or holds NUL"],
    ["read", `/tmp/${"a".repeat(PATH_BYTES_MAX)}`, "the path is empty, too long or holds NUL"],
    ["read", "/tm\u202ep/x", "it is not listed"],
    ["write", "a.ts", "allow"],
    ["edit", "a.ts", "allow"],
    ["apply_patch", "a.ts", "allow"],
    ["write", "/tmp/x", "`/tmp/x` is not listed"],
    ["edit", "/tmp/x", "`/tmp/x` is not listed"],
    ["write", "x/.git/hooks/post-commit", "~/Projects/**/.git/**"],
    ["write", "~/Projects/.git/config", "~/Projects/**/.git/**"],
  ])("%s %j: %s", (tool, place, expected) => {
    expect(ruling(config, tool, at(place))).toBe(expected);
  });

  test.each([
    ["a link into a denied directory", { "/tmp/l": "/home/u/.ssh" }, "/tmp/l/id_rsa", "~/.ssh/**"],
    ["a link whose own place is denied", { "/home/u/.ssh/ok": "/tmp/x" }, "~/.ssh/ok", "~/.ssh/**"],
    ["a link out of an allowed directory", { "/tmp/l": "/etc" }, "/tmp/l/passwd", "`/etc/passwd` is not listed"],
    ["a relative link", { "/tmp/l": "../etc/passwd" }, "/tmp/l", "`/etc/passwd` is not listed"],
    ["dots behind a link, which climb from where it leads", { "/tmp/l": "/srv/deep/er" }, "/tmp/l/../x", "`/srv/deep/x` is not listed"],
    ["a link to a name that does not exist yet", { "/tmp/l": "/etc/new" }, "/tmp/l", "`/etc/new` is not listed"],
    ["links that never end", { "/tmp/a": "/tmp/b", "/tmp/b": "/tmp/a" }, "/tmp/a", "the path goes through too many links"],
    [
      "a link of the process that asks",
      { "/proc/self": "4711" },
      "/proc/self/root/etc/passwd",
      "links in /proc lead elsewhere for the one who follows them",
    ],
    ["a denied directory that is itself a link", { "/home/u/.ssh": "/tmp/keys" }, "/tmp/keys/id_rsa", "~/.ssh/**"],
    [
      "an allowed directory that was turned into a link",
      { "/home/u/Projects": "/" },
      "~/Projects/etc/passwd",
      "`/etc/passwd` is not listed",
    ],
  ])("%s is seen for what it is", (_, links, place, expected) => {
    expect(ruling(config, "read", { args: { path: place }, links })).toBe(expected);
  });

  test("as many links are followed as the kernel follows", () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [`/tmp/l${index}`, index === length - 1 ? "/tmp/end" : `/tmp/l${index + 1}`]),
      );
    expect(ruling(config, "read", { args: { path: "/tmp/l0" }, links: chain(PATH_LINKS_FOLLOWED_MAX) })).toBe("allow");
    expect(ruling(config, "read", { args: { path: "/tmp/l0" }, links: chain(PATH_LINKS_FOLLOWED_MAX + 1) })).toMatch(/too many links/);
  });

  test("a path of 256 parts is walked, links and all, and no longer one", () => {
    const deep = (parts: number) => `/tmp${"/d".repeat(parts - 1)}`;
    expect(ruling(config, "read", { args: { path: deep(PATH_PARTS_MAX) } })).toBe("allow");
    expect(ruling(config, "read", { args: { path: deep(PATH_PARTS_MAX + 1) } })).toBe("the path has too many parts");
    expect(ruling(config, "read", { args: { path: deep(PATH_PARTS_MAX) }, links: { "/tmp/d": "/tmp/x" } })).toBe(
      "the path has too many parts",
    );
  });

  test("what cannot be looked at is denied", () => {
    expect(ruling(config, "read", { args: { path: "/tmp/x/y" }, hidden: ["/tmp/x/y"] })).toMatch(/cannot be looked into/);
  });

  test("what may not be read may not be edited or patched either, though it may be written", () => {
    const tools = { tools: { read: { deny: ["~/.env"] } } };
    for (const tool of ["edit", "apply_patch"]) expect(ruling(tools, tool, at("~/.env"))).toBe("~/.env");
    expect(ruling(tools, "write", at("~/.env"))).toBe("allow");
  });

  test("an agent's rules and those of all agents both hold", () => {
    const tools = { tools: { read: { allow: ["/srv/**"] } }, agents: { a: { tools: { read: { allow: ["/**"], deny: ["/srv/x"] } } } } };
    const asked = (place: string) => ruling(tools, "read", { agent: "a", args: { path: place } });
    expect([asked("/srv/a"), asked("/srv/x"), asked("/etc/passwd")]).toEqual(["allow", "/srv/x", "`/etc/passwd` is not listed"]);
  });

  test("a path is needed as soon as arguments are given, and each of several counts", () => {
    for (const args of [
      {},
      { path: 1 },
      { path: [] },
      { path: ["/tmp/a", null] },
      { path: Array.from({ length: PATHS_PER_CALL_MAX + 1 }, () => "/tmp/a") },
    ]) {
      expect(ruling(config, "read", { args })).toBe("`args.path` must be a path, or a list of paths");
    }
    expect(ruling(config, "read", { args: { path: Array.from({ length: PATHS_PER_CALL_MAX }, () => "/tmp/a") } })).toBe("allow");
    expect(ruling(config, "read", { args: { path: ["/tmp/a", "/etc/passwd"] } })).toBe("`/etc/passwd` is not listed");
    expect(ruling(config, "read", { args: { path: "a.ts" } })).toMatch(/needs `args.cwd`/);
    expect(ask(load(config), "read").allowed).toBe(true);
  });
});

describe("the state directory", () => {
  test.each([
    ["its name", "/state/exec-approvals.json", {}],
    ["the directory itself", "/state", {}],
    ["dots", "/tmp/../state/operator.token", {}],
    ["a link to it", "/tmp/l/operator.token", { "/tmp/l": "/state" }],
    ["a link to a file in it", "/tmp/l", { "/tmp/l": "/state/operator.token" }],
    ["the place that it links to", "/real/operator.token", { "/state": "/real" }],
    ["a file in it that leads out", "/state/x", { "/state/x": "/tmp/x" }],
  ])("is closed by %s, to every file tool, whatever the policy says", (_, place, links) => {
    const everything = { tools: { read: { allow: ["/**"] }, write: { allow: ["/**"] } } };
    for (const tool of ["read", "write", "edit", "apply_patch"]) {
      expect(ruling(everything, tool, { args: { path: place }, links, stateDirectory: "/state" })).toBe(
        "the state directory is closed to every tool",
      );
    }
  });
});

describe("size", () => {
  test("ten mebibytes unless somebody says otherwise, and the smallest word holds", () => {
    const reading = (config: Parameters<typeof load>[0], bytes: number) =>
      ruling(config, "read", { args: { path: "/f" }, sizes: { "/f": bytes } });
    expect(reading({}, READ_SIZE_DEFAULT_BYTES)).toBe("allow");
    expect(reading({}, READ_SIZE_DEFAULT_BYTES + 1)).toBe("larger than 10485760 bytes");
    const both = { tools: { read: { maxSizeBytes: 10 } }, agents: { main: { tools: { read: { maxSizeBytes: 20 } } } } };
    expect([reading(both, 10), reading(both, 11)]).toEqual(["allow", "larger than 10 bytes"]);
    expect(ruling(both, "write", { args: { path: "/f" }, sizes: { "/f": 1000 } })).toBe("allow");
  });
});

describe("workspaceOnly", () => {
  const config = {
    tools: { fs: { workspaceOnly: true } },
    agents: { defaults: { workspace: "~/ws/{sessionKey}" }, a: { workspace: "/srv/a" } },
  };

  test("fences the file tools into the agent's workspace", () => {
    expect(ruling(config, "read", { agent: "a", args: { path: "x" } })).toBe("allow");
    expect(ruling(config, "read", { agent: "a", args: { path: "/srv/ab" } })).toMatch(/not in the workspace/);
    expect(ruling(config, "write", { agent: "a", args: { path: "/srv/a/../b" } })).toMatch(/not in the workspace/);
    expect(ruling(config, "edit", { agent: "a", args: { path: "l" }, links: { "/srv/a/l": "/etc/passwd" } })).toMatch(
      /not in the workspace/,
    );
  });

  test("takes a session's key for one directory name, or denies", () => {
    expect(ruling(config, "read", { sessionKey: "abc123", args: { path: "~/ws/abc123/x" } })).toBe("allow");
    expect(ruling(config, "read", { sessionKey: "abc123", args: { path: "~/ws/other/x" } })).toMatch(/not in the workspace/);
    for (const sessionKey of ["", "..", "a/b", ".", "a\0b"]) {
      expect(ruling(config, "read", { sessionKey, args: { path: "~/ws/x" } })).toMatch(/not in the workspace/);
    }
  });
});

describe("on a real file system", () => {
  test("a path ends up where the kernel says it does", () => {
    const scratch = scratchDirectory();
    try {
      const root = realpathSync(scratch.path);
      for (const directory of ["a/b/c", "d"]) mkdirSync(join(root, directory), { recursive: true });
      for (const file of ["a/f", "a/b/c/f", "d/f"]) writeFileSync(join(root, file), "");
      for (const [link, target] of [
        ["l1", "a/b"],
        ["a/l2", "../d"],
        ["a/b/up", ".."],
        ["d/abs", join(root, "a/b/c")],
        ["d/chain", "abs/f"],
        ["loop", "loop"],
      ] as const) {
        symlinkSync(target, join(root, link));
      }
      const machine = {
        ...toolMachine({ home: root }),
        linkAt: (place: string) => {
          try {
            return { target: readlinkSync(place) };
          } catch {
            return "none" as const;
          }
        },
      };
      const part = fc.constantFrom("a", "b", "c", "d", "f", "l1", "l2", "up", "abs", "chain", "..", ".");
      fc.assert(
        fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
          const asked = parts.join("/");
          // Beyond the scratch directory lies the machine of whoever runs this.
          fc.pre(
            parts.filter((each) => each === "..").length < 3 && existsSync(join(root, dirname(asked))) && existsSync(`${root}/${asked}`),
          );
          const place = findPlace(asked, path(root), machine);
          expect(place.ok && place.value.real).toBe(realpathSync.native(`${root}/${asked}`));
        }),
        { numRuns: 500 },
      );
      expect(findPlace("loop", path(root), machine)).toEqual({ ok: false, failure: "the path goes through too many links" });
    } finally {
      scratch.remove();
    }
  });
});
