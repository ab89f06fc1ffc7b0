import { expect, test } from 'vitest'
import { fieldAt, isObject, type JsonObject, objectAt, objectsAt, parseJson, stringAt } from '../core/json.ts'
import { type Log, log } from './log.ts'

test('agents up to 2.0.14 are written into the main log', () => {
  const made = withAgent('1.0.128')
  expect(logsOf(made).length).toBe(1)
  const side = made.rows().filter(({ isSidechain }) => isSidechain === true)
  expect(side.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(side[0]).toMatchObject({ parentUuid: null, message: { content: 'Explore it' } })
  expect(side[0]).not.toHaveProperty('agentId')
  const call = made.rows().find((row) => name(row) === 'Task')
  const result = made.rows().find((row) => row.isSidechain === false && blockType(row) === 'tool_result')
  expect(result?.parentUuid).toBe(call?.uuid)
})

test('agents of 2.0.37 and 2.0.77 are files beside the log', () => {
  expect(agentPaths(withAgent('2.0.37'))).toEqual([
    expect.stringMatching(/^projects\/[^/]+\/agent-[0-9a-f]{8}\.jsonl$/),
  ])
  expect(agentPaths(withAgent('2.0.77'))).toEqual([
    expect.stringMatching(/^projects\/[^/]+\/agent-a[0-9a-f]{6}\.jsonl$/),
  ])
})

test('agents from 2.1.4 on are in the folder of their session', () => {
  const folder = (made: Log) => `projects/-home-ana-api/${made.sessionId}/subagents/agent-a`
  for (const version of ['2.1.4', '2.1.45']) {
    const made = withAgent(version)
    expect(agentPaths(made)).toEqual([expect.stringMatching(new RegExp(`^${folder(made)}[0-9a-f]{6}\\.jsonl$`))])
  }
  for (const version of ['2.1.68', '2.1.325']) {
    const made = withAgent(version)
    expect(agentPaths(made)).toEqual([expect.stringMatching(new RegExp(`^${folder(made)}[0-9a-f]{16}\\.jsonl$`))])
  }
})

test('rows of an agent name it and the session, and its result names it too', () => {
  const made = withAgent('2.1.112')
  const [path = ''] = agentPaths(made)
  const agentId = /agent-(.*)\.jsonl/.exec(path)?.[1]
  for (const row of rowsAt(made, path)) {
    expect(row).toMatchObject({ agentId, isSidechain: true, sessionId: made.sessionId })
  }
  const result = made.rows().find((row) => blockType(row) === 'tool_result')
  expect(result?.toolUseResult).toMatchObject({
    status: 'completed',
    agentId,
    prompt: 'Explore it',
    totalToolUseCount: 1,
  })
})

test('the tool is called Task up to 2.1.45 and Agent from 2.1.68 on', () => {
  expect(
    withAgent('2.1.45')
      .rows()
      .some((row) => name(row) === 'Task'),
  ).toBe(true)
  expect(
    withAgent('2.1.68')
      .rows()
      .some((row) => name(row) === 'Agent'),
  ).toBe(true)
})

test('meta.json says more with every version', () => {
  const meta = (version: string) => {
    const file = withAgent(version)
      .files()
      .find(({ path }) => path.endsWith('.meta.json'))
    return file === undefined ? undefined : Object.keys(objectOf(file.content))
  }
  expect(meta('2.1.68')).toBeUndefined()
  expect(meta('2.1.112')).toEqual(['agentType', 'description'])
  expect(meta('2.1.150')).toEqual(['agentType', 'description', 'toolUseId'])
  expect(meta('2.1.200')).toEqual(['agentType', 'description', 'toolUseId', 'spawnDepth'])
  expect(meta('2.1.325')).toEqual([
    'agentType',
    'isBuiltIn',
    'description',
    'toolUseId',
    'spawnDepth',
    'requestShape',
    'requestNonInteractive',
    'pickedEffortModel',
    'finished',
  ])
})

test('nested agents are siblings in one folder, and the inner one names the outer', () => {
  const made = log()
    .user('hi')
    .subagent({
      description: 'Outer',
      prompt: 'O',
      steps: (outer) => outer.subagent({ description: 'Inner', prompt: 'I', result: 'Inner done.' }),
    })
  const paths = agentPaths(made)
  expect(new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/')))).size).toBe(1)
  const metas = made.files().filter(({ path }) => path.endsWith('.meta.json'))
  const [inner, outer] = metas.map(({ content }) => objectOf(content)).sort((a, b) => depth(b) - depth(a))
  const outerPath = metas.find(({ content }) => objectOf(content).description === 'Outer')?.path ?? ''
  expect([depth(outer), depth(inner)]).toEqual([1, 2])
  expect(outerPath).toContain(`agent-${inner?.parentAgentId}.meta.json`)
})

test('a failed agent leaves an error and no mark of being finished', () => {
  const made = log().user('hi').subagent({ description: 'D', prompt: 'P', error: 'Overloaded' })
  const result = made.rows().find((row) => blockType(row) === 'tool_result')
  expect(objectsAt(result?.message, 'content')[0]).toMatchObject({ is_error: true, content: 'Overloaded' })
  const meta = made.files().find(({ path }) => path.endsWith('.meta.json'))
  expect(objectOf(meta?.content ?? '')).not.toHaveProperty('finished')
})

test('a background agent is launched, and a notification tells of its end', () => {
  const made = log()
    .user('hi')
    .subagent({ description: 'D', prompt: 'P', result: 'Found it.', background: true })
    .assistant('On its way.')
    .notification({ tokens: 42 })
    .assistant('It is done.')
  const launched = made.rows().find((row) => blockType(row) === 'tool_result')
  expect(launched?.toolUseResult).toMatchObject({ isAsync: true, status: 'async_launched', description: 'D' })
  const told = made.rows().find((row) => objectAt(row, 'origin')?.kind === 'task-notification')
  const text = stringAt(told?.message, 'content')
  expect(told).toMatchObject({ type: 'user', promptSource: 'system' })
  expect(text).toContain(`<task-id>${stringAt(launched?.toolUseResult, 'agentId')}</task-id>`)
  expect(text).toContain('<result>Found it.</result>')
  expect(text).toContain('<subagent_tokens>42</subagent_tokens>')
})

test('a notification in the middle of a turn is an attachment', () => {
  const rows = log()
    .user('hi')
    .subagent({ description: 'D', prompt: 'P', background: true })
    .notification({ midTurn: true })
    .rows()
  expect(rows.at(-1)).toMatchObject({
    type: 'attachment',
    attachment: { type: 'queued_command', commandMode: 'task-notification' },
  })
})

test('warmups are agents whose prompt is exactly that', () => {
  const made = log({ version: '2.0.77' }).warmup().user('hi')
  const [path = ''] = agentPaths(made)
  expect(rowsAt(made, path)[0]).toMatchObject({ type: 'user', message: { content: 'Warmup' } })
  expect(made.rows().some((row) => stringAt(row.message, 'content') === 'Warmup')).toBe(false)
})

test('2.1.45 repeats the agent in progress rows', () => {
  const row = withAgent('2.1.45')
    .rows()
    .find(({ type }) => type === 'progress')
  const call = withAgent('2.1.45')
    .rows()
    .find((other) => name(other) === 'Task')
  expect(row).toMatchObject({
    data: { type: 'agent_progress', prompt: 'Explore it' },
    parentToolUseID: stringAt(objectsAt(call?.message, 'content')[0], 'id'),
  })
})

test('agents of 2.1.68 and up have results without toolUseResult', () => {
  const bare = (version: string) => {
    const made = withAgent(version)
    const [path = ''] = agentPaths(made)
    return rowsAt(made, path).some((row) => row.toolUseResult !== undefined)
  }
  expect(bare('2.1.45')).toBe(true)
  expect(bare('2.1.68')).toBe(false)
})

test('a workflow has a folder of agents, a journal and a record', () => {
  const made = log()
    .user('go')
    .workflow({
      name: 'demo',
      agents: [
        { label: 'one', phase: 'First', prompt: 'A', result: 'a' },
        { label: 'two', phase: 'Second', prompt: 'B', result: 'b' },
      ],
    })
  const home = `projects/-home-ana-api/${made.sessionId}`
  const paths = made.files().map(({ path }) => path)
  const run = /workflows\/(wf_[0-9a-f]{8}-[0-9a-f]{3})\.json/.exec(paths.join('\n'))?.[1]
  expect(paths).toContain(`${home}/workflows/scripts/demo-${run}.js`)
  expect(paths.filter((path) => path.startsWith(`${home}/subagents/workflows/${run}/agent-`)).length).toBe(4)
  const journal = rowsAt(made, `${home}/subagents/workflows/${run}/journal.jsonl`)
  expect(journal.map(({ type }) => type)).toEqual(['launched', 'started', 'result', 'started', 'result'])
  const record = objectOf(made.files().find(({ path }) => path === `${home}/workflows/${run}.json`)?.content ?? '')
  expect(record).toMatchObject({ runId: run, workflowName: 'demo', agentCount: 2, status: 'completed' })
  const result = made.rows().find((row) => blockType(row) === 'tool_result')
  expect(fieldAt(result?.toolUseResult, 'runId')).toBe(run)
})

function withAgent(version: string): Log {
  return log({ version, attachments: false })
    .user('hi')
    .subagent({
      type: 'Explore',
      description: 'Look around',
      prompt: 'Explore it',
      steps: (agent) => agent.tool('Bash', { command: 'ls' }, { output: 'a' }),
      result: 'There is a.',
    })
    .assistant('Good.')
}

function logsOf(made: Log) {
  return made.files().filter(({ path }) => path.endsWith('.jsonl'))
}

function agentPaths(made: Log): readonly string[] {
  return logsOf(made).flatMap(({ path }) => (path.includes('/agent-') ? [path] : []))
}

function rowsAt(made: Log, path: string): readonly JsonObject[] {
  const content = made.files().find((file) => file.path === path)?.content ?? ''
  return String(content)
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
}

function objectOf(content: string | Uint8Array): JsonObject {
  const value = parseJson(String(content))
  return isObject(value) ? value : {}
}

function depth(meta: JsonObject | undefined): number {
  return typeof meta?.spawnDepth === 'number' ? meta.spawnDepth : 0
}

function name(row: JsonObject): string | undefined {
  return stringAt(objectsAt(row.message, 'content')[0], 'name')
}

function blockType(row: JsonObject): string | undefined {
  return stringAt(objectsAt(row.message, 'content')[0], 'type')
}
