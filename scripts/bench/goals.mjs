// Rows of the report: what was measured beside what, the goal, and whether it was met.
import { table, time } from './report.mjs'

/** Ways to compare two times with a limit. */
const WAYS = {
  times: {
    value: (ours, beside) => ours / beside,
    cell: (ratio) => `${ratio.toFixed(2)} ×`,
    goal: (limit) => `≤ ${limit} ×`,
    isMet: (ratio, limit) => ratio <= limit,
  },
  speed: {
    value: (ours, beside) => beside / ours,
    cell: (ratio) => `${ratio.toFixed(2)} × its speed`,
    goal: (limit) => `≥ ${limit} × its speed`,
    isMet: (ratio, limit) => ratio >= limit,
  },
  over: {
    value: (ours, beside) => ours - beside,
    cell: (more) => `+ ${time(more)}`,
    goal: (limit) => `≤ ${limit} ms over it`,
    isMet: (more, limit) => more <= limit,
  },
  within: {
    value: (ours) => ours,
    cell: () => '',
    goal: (limit) => `≤ ${time(limit)}`,
    isMet: (ms, limit) => ms <= limit,
  },
}

/** Whole processes: both times of ours and of what they are beside. `limits` has a way, and its limits for `wall` and `cpu`. */
export function processTable(rows) {
  const head = ['what', 'wall', 'beside', 'ratio', 'processor', 'beside', 'ratio', 'beside what', 'goal', '']
  return table([head, ...rows.map(processCells)])
}

/** Whether a row misses its goal; one that could not be measured does not. */
export function isMissed({ ours, beside, limits, missing }) {
  if (missing !== undefined) return false
  const { value, isMet } = WAYS[limits.way]
  const isOver = (name, ms) => limits[name] !== undefined && !isMet(value(ours[ms], beside?.[ms]), limits[name])
  return isOver('wall', 'ms') || isOver('cpu', 'cpuMs')
}

/** Single figures: `value` beside its limit. */
export function figureTable(rows) {
  const cells = ({ what, ours, goal, isMet }) => [what, ours, goal, goal === '' ? '' : verdict(isMet)]
  return table([['what', 'ours', 'goal', ''], ...rows.map(cells)])
}

function processCells(row) {
  const { what, ours, beside, name = '', limits, missing } = row
  const { value, cell, goal } = WAYS[limits.way]
  const both = [
    ['ms', limits.wall, 'wall'],
    ['cpuMs', limits.cpu, 'processor'],
  ]
  const goals = both.flatMap(([, limit, clock]) => (limit === undefined ? [] : `${goal(limit)}, ${clock}`)).join('; ')
  const times = both.flatMap(([ms]) => [
    time(ours[ms]),
    beside ? time(beside[ms]) : '',
    missing === undefined ? cell(value(ours[ms], beside?.[ms])) : '',
  ])
  return [what, ...times, name, goals, missing === undefined ? verdict(!isMissed(row)) : `not measured: ${missing}`]
}

function verdict(isMet) {
  return isMet ? 'met' : '**missed**'
}
