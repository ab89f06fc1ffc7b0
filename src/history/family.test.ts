import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import { Library } from '../disk/library.ts'
import { listedSessions } from '../history/families.ts'
import { History } from '../history/history.ts'
import { type Log, log, root, type SubagentSpec } from '../testing/index.ts'
import { type Agent, linkedAgents } from './family.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a log, with some of its files changed, and gives the agents of its session. */
async function agentsOf(
  made: Log,
  change: (path: string, content: string) => string | null = (_, content) => content,
): Promise<readonly Agent[]> {
  const all = root()
  for (const file of made.files()) {
    const content = change(file.path, Buffer.from(file.content).toString())
    if (content !== null) all.file(file.path, content, file.modifiedAt)
  }
  all.write(folder)
  const library = new Library({ roots: [folder] })
  const session = (await listedSessions(new History({ library, warn: () => {} }))).find(
    ({ id }) => id === made.sessionId,
  )
  const agents = session ? linkedAgents(library, session) : []
  library.close()
  return agents
}

const isMain = (made: Log) => (path: string) => path.endsWith(`/${made.sessionId}.jsonl`)
const withoutRows = (text: string, drop: (row: JsonObject) => boolean) =>
  text
    .split('\n')
    .filter((line) => line === '' || !drop(JSON.parse(line)))
    .join('\n')
const isResult = (row: JsonObject) => row.type === 'user' && row.toolUseResult !== undefined

const COUNT: SubagentSpec = {
  type: 'general-purpose',
  description: 'Count files',
  prompt: 'Count the files.',
  steps: (agent) => agent.tool('Bash', { command: 'ls | wc -l' }, { output: '3' }),
  result: 'Three.',
}
const start = (version: string) => log({ version, attachments: false }).user('one')

describe.each([
  ['1.0.65', 'inline', 'sessionId', 'prompt'],
  ['1.0.128', 'inline', 'sessionId', 'prompt'],
  ['2.0.37', 'flat', 'sessionId', 'result'],
  ['2.0.77', 'flat', 'sessionId', 'result'],
  ['2.1.4', 'folder', 'folder', 'result'],
  ['2.1.20', 'folder', 'folder', 'result'],
  ['2.1.45', 'folder', 'folder', 'result'],
  ['2.1.68', 'folder', 'folder', 'result'],
  ['2.1.90', 'folder', 'folder', 'result'],
  ['2.1.112', 'folder', 'folder', 'result'],
  ['2.1.150', 'folder', 'folder', 'meta'],
  ['2.1.200', 'folder', 'folder', 'meta'],
  ['2.1.325', 'folder', 'folder', 'meta'],
] as const)('%s', (version, where, bySession, byCall) => {
  test('an agent is found and linked to its session and its call', async () => {
    const made = start(version).subagent(COUNT).assistant('a')
    const [agent, ...more] = await agentsOf(made)
    expect(more).toEqual([])
    expect(agent).toMatchObject({
      session: made.sessionId,
      class: 'task',
      type: 'general-purpose',
      description: 'Count files',
      prompt: 'Count the files.',
      result: expect.stringContaining('Three.'),
      linkedBy: { session: bySession, call: byCall },
      parentAgent: null,
      failedAt: null,
    })
    const path = agent?.entry.path.slice(folder.length) ?? ''
    if (where === 'inline') expect(path).toContain(`/${made.sessionId}.jsonl`)
    else if (where === 'flat') expect(path).toMatch(/projects\/[^/]+\/agent-[^/]+\.jsonl$/)
    else expect(path).toMatch(new RegExp(`${made.sessionId}/subagents/agent-[^/]+\\.jsonl$`))
    const call = made.rows().findIndex((row) => JSON.stringify(row.message ?? null).includes('"tool_use"'))
    expect(agent?.call?.place).toMatchObject({ line: call + 1 })
  })

  test('two agents at once have each their own call', async () => {
    const spec = (n: number) => ({ subagent: { description: `d${n}`, prompt: `p${n}`, result: `r${n}` } })
    const agents = await agentsOf(
      start(version)
        .parallel([spec(1), spec(2)])
        .assistant('a'),
    )
    expect(agents.map((a) => [a.prompt, a.description, a.result?.slice(0, 2)]).toSorted()).toEqual([
      ['p1', 'd1', 'r1'],
      ['p2', 'd2', 'r2'],
    ])
    expect(new Set(agents.map((a) => a.call?.toolUseId)).size).toBe(2)
  })

  test('a call without an id is linked by its place alone', async () => {
    const made = start(version).subagent(COUNT).assistant('a')
    const nameless = (content: string) =>
      content.replaceAll(/"(?:id|tool_use_id|toolUseId|parentToolUseID|toolUseID)":"toolu_[^"]*"/g, '"x":0')
    const [agent] = await agentsOf(made, (_, content) => nameless(content))
    expect(agent?.linkedBy.call).not.toBeNull()
    expect(agent?.call).toMatchObject({ toolUseId: null, place: { line: expect.any(Number) } })
  })

  test('two agents with the same prompt have each their own call', async () => {
    const agents = await agentsOf(start(version).subagent(COUNT).subagent(COUNT).assistant('a'))
    expect(new Set(agents.map((a) => a.call?.toolUseId)).size).toBe(2)
  })

  test('without its result, the agent is found all the same', async () => {
    const made = start(version).subagent(COUNT).assistant('a')
    const main = isMain(made)
    const [agent] = await agentsOf(made, (path, content) => (main(path) ? withoutRows(content, isResult) : content))
    const isProgress = ['2.1.20', '2.1.45', '2.1.68'].includes(version)
    expect(agent?.linkedBy.call).toBe(byCall === 'meta' ? 'meta' : isProgress ? 'progress' : 'prompt')
    expect(agent?.reported).toMatchObject({ status: null, tokens: null })
    expect(agent?.result).toBe('Three.')
  })

  test('its tokens are its own', async () => {
    const usage = { inputTokens: 5, outputTokens: 70, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 }
    const spec = {
      ...COUNT,
      steps: (agent: Parameters<NonNullable<SubagentSpec['steps']>>[0]) =>
        agent.assistant('x', { usage, stopReason: 'end_turn' }),
    }
    const agents = await agentsOf(
      start(version)
        .assistant('big', { usage: { outputTokens: 9999 } })
        .subagent(spec)
        .assistant('a'),
    )
    expect(agents[0]?.usage.responses).toBe(2)
    expect(agents[0]?.usage.outputTokens).toBeLessThan(9999)
    expect(agents[0]?.models).toHaveLength(1)
  })
})

test.each(['2.0.37', '2.0.77', '2.1.4'])('%s: warmups are known and have no call', async (version) => {
  const agents = await agentsOf(log({ version }).warmup().warmup().user('one').subagent(COUNT).assistant('a'))
  expect(agents.map((a) => [a.class, a.linkedBy.call]).toSorted()).toEqual([
    ['task', 'result'],
    ['warmup', null],
    ['warmup', null],
  ])
})

describe('2.1.325', () => {
  test('a workflow: all its agents belong to one call', async () => {
    const made = start('2.1.325').workflow({
      name: 'review',
      agents: [
        { label: 'one', prompt: 'p1', result: 'r1' },
        { label: 'two', prompt: 'p2', result: 'r2' },
      ],
    })
    const agents = await agentsOf(made.assistant('a'))
    expect(agents.map((a) => [a.class, a.prompt, a.linkedBy.session])).toEqual([
      ['workflow', 'p1', 'folder'],
      ['workflow', 'p2', 'folder'],
    ])
    expect(new Set(agents.map((a) => a.run)).size).toBe(1)
    expect(new Set(agents.map((a) => a.call?.toolUseId)).size).toBe(1)
    expect(agents.every((a) => a.linkedBy.call === 'meta' || a.linkedBy.call === 'result')).toBe(true)
  })

  test('an agent of an agent knows which', async () => {
    const inner = { description: 'Inner', prompt: 'Inner prompt.', result: 'inner' }
    const agents = await agentsOf(
      start('2.1.325')
        .subagent({ ...COUNT, steps: (agent) => agent.subagent(inner) })
        .assistant('a'),
    )
    const outer = agents.find((a) => a.prompt === 'Count the files.')
    expect(agents.find((a) => a.prompt === 'Inner prompt.')).toMatchObject({
      parentAgent: outer?.id,
      linkedBy: { call: 'meta' },
    })
    expect(outer?.parentAgent).toBeNull()
  })

  test.each([
    ['empty', (path: string, content: string) => (path.endsWith('.meta.json') ? '' : content)],
    ['absent', (path: string, content: string) => (path.endsWith('.meta.json') ? null : content)],
    ['half-written', (path: string, content: string) => (path.endsWith('.meta.json') ? content.slice(0, 20) : content)],
    [
      'of odd shapes',
      (path: string, content: string) =>
        path.endsWith('.meta.json') ? '{"agentType":5,"toolUseId":[],"description":null}' : content,
    ],
    ['no object', (path: string, content: string) => (path.endsWith('.meta.json') ? '[]' : content)],
  ])('a meta file that is %s costs only the best rule', async (_, change) => {
    expect(await agentsOf(start('2.1.325').subagent(COUNT).assistant('a'), change)).toMatchObject([
      { linkedBy: { session: 'folder', call: 'result' }, type: 'general-purpose', description: 'Count files' },
    ])
  })

  test('a background agent reports by its notification', async () => {
    const made = start('2.1.325')
      .subagent({ ...COUNT, background: true })
      .assistant('a')
    const [agent] = await agentsOf(
      made.notification({ status: 'completed', result: 'Four.', tokens: 77, toolUses: 2, durationMs: 900 }),
    )
    expect(agent).toMatchObject({
      reported: { status: 'completed', tokens: 77, toolUses: 2, durationMs: 900, result: 'Four.' },
      result: 'Four.',
    })
  })

  test('one that failed says where', async () => {
    const [agent] = await agentsOf(
      start('2.1.325')
        .subagent({ ...COUNT, error: 'It broke.' })
        .assistant('a'),
    )
    expect(agent?.failedAt).toMatchObject({ file: agent?.entry.path, reason: expect.any(String) })
  })

  test('P24: agents are kept when the log of their session is gone', async () => {
    const made = start('2.1.325').subagent(COUNT).assistant('a')
    const main = isMain(made)
    const agents = await agentsOf(made, (path, content) => (main(path) ? null : content))
    expect(agents).toMatchObject([
      { class: 'task', call: null, linkedBy: { session: 'folder', call: null }, prompt: 'Count the files.' },
    ])
  })

  test('an agent log that is empty or broken is incomplete', async () => {
    for (const content of ['', 'bad\n', '{"type":"assistant","isSidechain":true}\n']) {
      const agents = await agentsOf(start('2.1.325').subagent(COUNT).assistant('a'), (path, text) =>
        /agent-[^/]*\.jsonl$/.test(path) ? content : text,
      )
      expect(agents).toMatchObject([{ class: 'incomplete', prompt: null }])
    }
  })
})

test('flat agents of another session stay with it', async () => {
  const made = start('2.0.37').subagent(COUNT).assistant('a')
  const other = log({ version: '2.0.37', seed: 'other' })
    .user('two')
    .subagent({ ...COUNT, prompt: 'Other.' })
    .assistant('b')
  root().add(made, other).write(folder)
  const library = new Library({ roots: [folder] })
  const sessions = await listedSessions(new History({ library, warn: () => {} }))
  const prompts = sessions.map((session) => [session.id, linkedAgents(library, session).map(({ prompt }) => prompt)])
  library.close()
  expect(Object.fromEntries(prompts)).toEqual({ [made.sessionId]: ['Count the files.'], [other.sessionId]: ['Other.'] })
})
