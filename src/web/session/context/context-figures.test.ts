import { expect, test } from 'vitest'
import { type ContextResult, columnsOf, sourceGroups } from './context-figures.ts'

const nothing = {
  system: 0,
  memory: 0,
  skills: 0,
  files: 0,
  prompts: 0,
  answers: 0,
  thinking: 0,
  toolInput: 0,
  toolResults: 0,
  summaries: 0,
  attachments: 0,
}
const point = (row: number, windowTokens: number): ContextResult['points'][number] => ({
  row,
  turn: 1,
  uuid: `u${row}`,
  timestamp: null,
  model: null,
  inputTokens: 1,
  cacheReadTokens: windowTokens - 1,
  cacheWriteTokens: 0,
  outputTokens: 1,
  windowTokens,
  held: { ...nothing, system: 10, prompts: windowTokens - 10 },
})

test('columns are as many as fit, and of those that fall together the largest is drawn', () => {
  const points = [100, 300, 200, 50, 60].map((tokens, row) => point(row, tokens))
  const columns = columnsOf({ points }, 3, 'content')
  expect(columns.map(({ window }) => window)).toEqual([300, 200, 60])
  for (const { parts, window } of columns) expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(window)
  expect(columnsOf({ points }, 9, 'cache')[0]?.parts.map(({ tokens }) => tokens)).toEqual([99, 0, 1])
})

test('tool results are told by tool, and below it by file', () => {
  const groups = sourceGroups({
    bytesPerToken: 2.9,
    sources: [
      { kind: 'toolResults', name: 'Read · src/a.ts', bytes: 2900, times: 2 },
      { kind: 'toolResults', name: 'Read · src/b.ts', bytes: 290, times: 1 },
      { kind: 'toolResults', name: 'Bash · npm test', bytes: 1450, times: 1 },
      { kind: 'prompts', name: null, bytes: 29, times: 3 },
    ],
  })
  expect(
    groups.map(({ name, tokens, times, members }) => [name, tokens, times, members.map((one) => one.name)]),
  ).toEqual([
    ['results of Read', 1100, 3, ['src/a.ts', 'src/b.ts']],
    ['results of Bash', 500, 1, ['npm test']],
    ['prompts', 10, 3, []],
  ])
})
