import { table, time } from './report.mjs'

/** Over bare Node, however many commands it takes: nobody waits longer for an answer. */
const MOST_OVER_MS = 1500

/** The first day as a table. */
export function tasksReport({ tasks }) {
  const rows = tasks.map(({ wants, commands, ours, bare }) => [
    wants,
    String(commands),
    time(ours),
    time(bare),
    time(ours - bare),
    `≤ ${time(MOST_OVER_MS)}`,
    ours - bare <= MOST_OVER_MS ? 'met' : '**missed**',
  ])
  return table([['what one wants', 'commands', 'ours', 'bare Node', 'over it', 'goal', ''], ...rows])
}
