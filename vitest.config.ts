import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/servers/**", "test/soak/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 3,
  },
})
