import { defineConfig } from "vitest/config";

const PURE = ["core", "analysis", "policy", "tools", "config", "binding", "approvals", "wire"].map((layer) => `test/${layer}/**/*.test.ts`);

export default defineConfig({
  test: {
    projects: [
      { test: { name: "pure", include: [...PURE, "test/tidy.test.ts"], environment: "node", sequence: { groupOrder: 0 } } },
      {
        test: {
          name: "live",
          include: ["test/**/*.test.ts"],
          exclude: [...PURE, "test/tidy.test.ts"],
          environment: "node",
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Real daemons and races on few cores: more workers would only make them wait for each other.
          maxWorkers: 2,
        },
      },
    ],
  },
});
