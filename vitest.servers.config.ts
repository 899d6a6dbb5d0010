import { defineConfig } from "vitest/config"

/** The tests against real servers: `npm run test:servers`. They need what test/servers/package.json installs. */
export default defineConfig({
  test: {
    include: ["test/servers/*.test.ts"],
    testTimeout: 90_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
})
