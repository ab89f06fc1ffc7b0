import { table, time } from './report.mjs'

/** How much longer than bare Node one command may take. */
const MOST_OVER_MS = 1000

/** The first day as a table. */
export function tasksReport({ tasks }) {
  const rows = tasks.map(({ wants, commands, ours, bare }) => [
    wants,
    String(commands),
    time(ours),
    time(bare),
    time(ours - bare),
    `≤ ${time(MOST_OVER_MS * commands)}`,
    ours - bare <= MOST_OVER_MS * commands ? 'met' : '**missed**',
  ])
  return table([['what one wants', 'commands', 'ours', 'bare Node', 'over it', 'goal', ''], ...rows])
}
