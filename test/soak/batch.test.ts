import { expect, it } from "vitest"
import { essenceOf, soak } from "../support/batch-soak.ts"
import { seed } from "../support/seed.ts"

it(`16 workers over 400 tasks, 3 of them killed: the merge is what one process reports (seed ${seed})`, async () => {
  const { merged, single, killedAt } = await soak({ tasks: 400, workers: 16, kills: 3, seed })
  expect(killedAt).toHaveLength(3)
  expect(essenceOf(merged)).toEqual(essenceOf(single))
  expect(merged.tasks).toHaveLength(400)
}, 600_000)
