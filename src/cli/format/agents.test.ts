import { expect, test } from 'vitest'
import { agentOf, viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatAgents } from './agents.ts'

test('agents are a table under a heading, and one is a list of one', () => {
  expect(formatAgents(samples.agents, viewOf({ width: 80 }))).toEqual([
    'id              type       what for                              cost  when',
    'agent-a1b2c3d4  ◆ Explore  find callers of refresh()                   yesterday',
    'agent-b0b0b0b0  ◆ Explore  ✗ find callers of refresh()  Overlo…        yesterday',
    '',
    '2 agents · 1 failed · 3 warmups hidden: --all',
    'annals agents agent-a1b2c3d4   annals show agent-a1b2c3d4',
  ])
  const [only] = samples.agents.items
  const one = formatAgents({ items: only ? [only] : [], total: 1, hidden: {} }, viewOf({ width: 80 }))
  expect(one[0]).toMatch(/^id +type +what for/)
  expect(one).toHaveLength(5)
})

test('an agent that was named is a card', () => {
  const place = { file: '/home/ana/a.jsonl', line: 6, offset: 3524, length: 9 }
  const items = [agentOf({ failedAt: { reason: '529 Overloaded', ...place } })]
  expect(formatAgents({ items, total: 1, hidden: {} }, viewOf({ input: { session: 'agent-a1b2' } }))).toEqual([
    '◆ Explore  find callers of refresh()',
    'yesterday · 2 min · 12 tools · claude-opus-5',
    '340 tokens out · 1.2k in · 56k from cache · 24 lines, 9 kB',
    '',
    'Asked',
    '  Find every caller.',
    '',
    'Answered',
    '  There are **two**.',
    '',
    '✗ Failed',
    '  529 Overloaded',
    '  ~/a.jsonl:6 @3524',
    '',
    'agent-a1b2c3d4e5f60718, started by session 3f9a1b2c (known by meta)',
    '~/.claude/projects/-code-api/log.jsonl:12 @3455',
    '',
    'annals show agent-a1b2c3d4   annals show 3f9a1b2c',
  ])
})

test('an agent of unknown origin says so', () => {
  const items = [agentOf({ call: null, parentAgent: 'ffff0000ffff0000', linkedBy: { session: 'folder', call: null } })]
  expect(formatAgents({ items, total: 1, hidden: {} }, viewOf({ input: { session: 'agent-a1b2' } }))).toContain(
    'agent-a1b2c3d4e5f60718, started by agent-ffff0000 (the call is not known)',
  )
})

test('no failure is good news', () => {
  const lines = formatAgents({ items: [], total: 0, hidden: {} }, viewOf({ input: { failed: true } }))
  expect(lines).toEqual(['No agent failed.'])
})
