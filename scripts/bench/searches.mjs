// Searches in this process, and waits for appended lines to be found while `annals index --follow` runs.

import { followed } from './followed.mjs'
import { openSearch } from './open-search.mjs'

const ROUNDS = 25
const PAGE_MS = 5
const COUNTS_MS = 15
const SEARCHES = [
  ['word, newest first', PAGE_MS, 'turnstile', { sort: 'time' }],
  ['word, best first', PAGE_MS, 'turnstile', { sort: 'relevance' }],
  ['phrase, newest first', PAGE_MS, '"turnstile counter"', { sort: 'time' }],
  ['common word, newest first: the first page', PAGE_MS, 'queue', { sort: 'time', uncounted: true }],
  ['common word, counted by session', COUNTS_MS, 'queue', { limit: 1 }],
]

const [cli, dir, root, state] = process.argv.slice(2)
const search = await openSearch({ dir, root, state })
const searches = []
for (const [what, limitMs, text, input] of SEARCHES) searches.push({ what, limitMs, ...(await measured(text, input)) })
const appended = await followed({ cli, root, search })
process.stdout.write(JSON.stringify({ rounds: ROUNDS, searches, appended }))

async function measured(text, input) {
  await search(text, input)
  const { total, sessions, behindBytes } = await search(text)
  if (total === 0 || behindBytes > 0) throw new Error(`${text}: ${total} hits, and ${behindBytes} bytes not indexed.`)
  let ms = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await search(text, input)
    ms = Math.min(ms, performance.now() - start)
  }
  return { total, sessions, ms }
}
