import { count, table, time } from './report.mjs'

const MOST_OVER_MS = 1000

/** Blame of a long file as a table. */
export function blameReport({ lines, edits, logBytes, proven, ours, bare }) {
  const over = ours - bare
  return table([
    ['what', 'ours', 'bare Node', 'over it', 'goal', ''],
    [
      `\`blame\` of ${count(lines)} lines after ${count(edits)} edits (${count(proven)} lines proven, a log of ${Math.round(logBytes / 1e6)} MB, index warm)`,
      time(ours),
      time(bare),
      time(over),
      `≤ ${time(MOST_OVER_MS)}`,
      over <= MOST_OVER_MS ? 'met' : '**missed**',
    ],
  ])
}
