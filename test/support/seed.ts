/** The seed of this run's property tests: printed in their names, set with SEED to repeat a run. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** The seed as fast-check takes it. */
export const seeded = { seed }
