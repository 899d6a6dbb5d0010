import { defineConfig } from "vitest/config"

/** Slow tests of many processes: `npm run soak:batch`. */
export default defineConfig({ test: { include: ["test/soak/**/*.test.ts"], testTimeout: 600_000 } })
