// What searching in process needs. The package does not export it: it is bundled for the run alone.
export { openLibrary } from '../../src/history/compose.ts'
export { search } from '../../src/ops/search.ts'
