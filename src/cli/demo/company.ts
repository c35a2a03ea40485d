/** The daemon of the moment with the two who talk to it; scenes come and go, daemons are stopped and killed, and none is left behind. */
import { type DaemonProcess, startDaemon } from "./daemon-process.ts";
import type { Players } from "./scene.ts";
import type { Stage } from "./stage.ts";

export interface Company {
  start(how: { readonly holdAfterConsumption: boolean }): Promise<Players>;
  players(): Players;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export function createCompany(stage: Stage): Company {
  let daemon: DaemonProcess | null = null;
  let players: Players | null = null;

  const leave = (): void => {
    players?.agent.close();
    players?.operator.close();
  };

  return {
    start: async (how) => {
      leave();
      daemon = await startDaemon(stage, how);
      const [agent, operator] = await Promise.all([daemon.connect("gateway"), daemon.connect("operator")]);
      // Whoever listens makes requests answerable; with nobody there they would expire at once as `approval.no-route`.
      await operator.call("events.subscribe", { topics: ["exec.approval.requested"] });
      players = { stage, daemon, agent, operator };
      return players;
    },
    players: () => {
      if (players === null) throw new Error("no daemon was started yet");
      return players;
    },
    stop: async () => {
      leave();
      await daemon?.stop();
    },
    kill: async () => {
      leave();
      await daemon?.kill();
    },
  };
}
