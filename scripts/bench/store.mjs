// What searching in process needs. The package does not export it: it is bundled for the run alone.
export { parseQuery, toFts } from '../../src/core/query.ts'
export { ripgrepPath } from '../../src/disk/ripgrep.ts'
export { openDatabase } from '../../src/index/driver.ts'
export { Store } from '../../src/store/store.ts'
