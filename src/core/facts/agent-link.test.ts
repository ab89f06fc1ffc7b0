import { describe, expect, test } from 'vitest'
import type { AgentCall } from './agent-calls.ts'
import { agentClass, linkCalls, type PlacedCall, type UnlinkedAgent } from './agent-link.ts'

const NO_REPORT = { status: null, durationMs: null, tokens: null, toolUses: null, result: null, isError: false }
const call = (toolUseId: string, more: Partial<AgentCall> = {}, caller: string | null = null): PlacedCall => ({
  caller,
  call: {
    toolUseId,
    place: { file: '/s', line: 1, offset: 0, length: 1 },
    timestamp: null,
    prompt: null,
    description: null,
    type: null,
    agentId: null,
    agentIdFrom: null,
    run: null,
    reported: NO_REPORT,
    ...more,
  },
})
const agent = (id: string, more: Partial<UnlinkedAgent> = {}): UnlinkedAgent => ({
  id,
  run: null,
  toolUseId: null,
  prompt: null,
  startedAt: null,
  ...more,
})
const linked = (agents: readonly UnlinkedAgent[], calls: readonly PlacedCall[]) => {
  const links = linkCalls(agents, calls)
  return agents.map((one) => {
    const link = links.get(one)
    return link ? [one.id, link.call.toolUseId, link.rule] : [one.id, null]
  })
}

const AT = '2026-03-02T09:00:00.000Z'

test.each<[string, UnlinkedAgent, PlacedCall, string | null]>([
  ['its meta file names the call', agent('a', { toolUseId: 't' }), call('t'), 'meta'],
  ['the result names it', agent('a'), call('t', { agentId: 'a', agentIdFrom: 'result' }), 'result'],
  ['the result names its run', agent('a', { run: 'wf_1' }), call('t', { run: 'wf_1' }), 'result'],
  ['progress names it', agent('a'), call('t', { agentId: 'a', agentIdFrom: 'progress' }), 'progress'],
  ['the same prompt', agent('a', { prompt: 'Count it.' }), call('t', { prompt: 'Count it.' }), 'prompt'],
  [
    'the same first words of a long prompt',
    agent('a', { prompt: 'x'.repeat(200) }),
    call('t', { prompt: 'x'.repeat(500) }),
    'prompt',
  ],
  ['right after the call', agent('a', { startedAt: '2026-03-02T09:00:01.000Z' }), call('t', { timestamp: AT }), 'time'],
  ['too late', agent('a', { startedAt: '2026-03-02T09:00:01.001Z' }), call('t', { timestamp: AT }), null],
  ['before the call', agent('a', { startedAt: '2026-03-02T08:59:59.999Z' }), call('t', { timestamp: AT }), null],
  ['no time', agent('a'), call('t'), null],
  [
    'the same prompt, but the result names another',
    agent('a', { prompt: 'p', startedAt: AT }),
    call('t', { prompt: 'p', timestamp: AT, agentId: 'b', agentIdFrom: 'result' }),
    null,
  ],
  ['the same prompt, but in its own log', agent('a', { prompt: 'p' }), call('t', { prompt: 'p' }, 'a'), null],
  ['another run', agent('a', { run: 'wf_1', prompt: 'p' }), call('t', { run: 'wf_2', prompt: 'p' }), null],
])('%s', (_, one, placed, rule) => {
  expect(linked([one], [placed])).toEqual([rule === null ? ['a', null] : ['a', 't', rule]])
})

test('one call starts one agent, in order', () => {
  const agents = [agent('a', { prompt: 'p' }), agent('b', { prompt: 'p' }), agent('c', { prompt: 'p' })]
  expect(linked(agents, [call('t1', { prompt: 'p' }), call('t2', { prompt: 'p' })])).toEqual([
    ['a', 't1', 'prompt'],
    ['b', 't2', 'prompt'],
    ['c', null],
  ])
})

test('one call starts all agents of its run', () => {
  const agents = [agent('a', { run: 'wf' }), agent('b', { run: 'wf' })]
  expect(linked(agents, [call('t', { run: 'wf' })])).toEqual([
    ['a', 't', 'result'],
    ['b', 't', 'result'],
  ])
})

test('a weak rule takes no call that a stronger one gives to another agent', () => {
  const agents = [agent('a', { prompt: 'p', startedAt: AT }), agent('b', { toolUseId: 't1', prompt: 'p' })]
  expect(linked(agents, [call('t1', { prompt: 'p', timestamp: AT }), call('t2', { timestamp: AT })])).toEqual([
    ['a', 't2', 'time'],
    ['b', 't1', 'meta'],
  ])
})

test('the caller of a nested agent is told', () => {
  const one = agent('b', { toolUseId: 't' })
  expect(linkCalls([one], [call('t', {}, 'a')]).get(one)?.caller).toBe('a')
})

describe('the class of an agent', () => {
  const base = { id: 'a0123456', run: null, prompt: 'Count it.', hasUserRow: true }
  test.each([
    [base, 'task'],
    [{ ...base, prompt: 'Warmup' }, 'warmup'],
    [{ ...base, prompt: 'Warmup now' }, 'task'],
    [{ ...base, id: 'acompact-0123' }, 'compact'],
    [{ ...base, id: 'aprompt_suggestion-0123' }, 'suggestion'],
    [{ ...base, id: 'aside_question-0123' }, 'side-question'],
    [{ ...base, run: 'wf_1' }, 'workflow'],
    [{ ...base, hasUserRow: false, prompt: null }, 'incomplete'],
  ])('%j', (one, expected) => expect(agentClass(one)).toBe(expected))
})
