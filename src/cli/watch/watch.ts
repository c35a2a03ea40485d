/** `countersign watch`: ties the daemon's events, the terminal and the clock to the core in react.ts. */
import { type CommandCall, UsageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { painter } from "../paint.ts";
import { type Feed, openFeed } from "./feed.ts";
import { promptByLine } from "./line-prompts.ts";
import { type Desktop, openDesktop } from "./notify.ts";
import { pendingOf } from "./pending.ts";
import { type Input, react } from "./react.ts";
import { render } from "./render.ts";
import { type Effect, initialState } from "./state.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const AGES_EVERY_MS = 1000;

export async function run(call: CommandCall): Promise<number> {
  const { io } = call;
  if (call.has("json")) throw new UsageError("watch is for people; for programs there is `countersign pending --watch --json`");
  const feed = openFeed(call);
  try {
    // Before the screen is taken, so that an error stays to be read.
    await feed.open();
    if (!io.stdin.isTTY || !io.stdout.isTTY || io.env["TERM"] === "dumb") return await promptByLine(call, feed);
    return await onScreen(call, feed);
  } finally {
    feed.close();
  }
}

async function onScreen(call: CommandCall, feed: Feed): Promise<number> {
  const { io } = call;
  const paint = painter(io.colour);
  const leaving = new AbortController();
  const signal = AbortSignal.any([io.signal, leaving.signal]);
  let state = initialState({ rows: io.stdout.rows, columns: io.stdout.columns });

  const take = (input: Input): void => {
    const reaction = react(state, input, Date.now());
    state = reaction.state;
    for (const effect of reaction.effects) perform(effect);
    terminal.redraw();
  };
  const terminal: Terminal = openTerminal(io, {
    key: (key) => take({ kind: "key", key }),
    resized: (size) => take({ kind: "resized", size }),
    frame: () => render(state, Date.now(), paint),
  });
  const desktop: Desktop | null = call.has("no-notify") ? null : openDesktop(io.env, (id) => take({ kind: "open", id }));

  const perform = (effect: Effect): void => {
    switch (effect.kind) {
      case "quit":
        return leaving.abort();
      case "announce":
        if (call.has("bell")) terminal.bell();
        return desktop?.tell(effect.pending);
      case "fetch":
        void feed.get(effect.id).then((approval) => {
          const pending = approval?.state === "pending" ? pendingOf(approval, Date.now()) : null;
          take({ kind: "fetched", id: effect.id, pending });
        }, fail);
        return;
      case "resolve":
        void feed.resolve(effect.ids, effect.answer, (id, how, failure) => take({ kind: "answered", id, how, failure })).catch(fail);
    }
  };
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    leaving.abort();
  };

  const ages = setInterval(() => terminal.redraw(), AGES_EVERY_MS);
  try {
    terminal.redraw();
    await feed.follow(
      {
        synced: (list) => take({ kind: "synced", pending: list.map((one) => pendingOf(one, Date.now())) }),
        arrived: (one) => take({ kind: "arrived", pending: pendingOf(one, Date.now()) }),
        settled: (id, how) => take({ kind: "settled", id, how }),
        lost: (reason, retryInMs) => take({ kind: "lost", reason, retryAtMs: Date.now() + retryInMs }),
      },
      signal,
    );
  } finally {
    clearInterval(ages);
    desktop?.close();
    terminal.close();
  }
  if (failure !== undefined) throw failure;
  return EXIT.ok;
}
