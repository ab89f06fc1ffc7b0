import fc from 'fast-check'

// Whether a change may land must not depend on chance: the same cases each time. `ANNALS_SEED=random` looks for new ones.
const asked = process.env.ANNALS_SEED
if (asked !== 'random') fc.configureGlobal({ seed: asked === undefined ? 20_261_115 : Number(asked) })
