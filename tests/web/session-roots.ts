import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../src/core/json.ts'
import { type Log, log, root } from '../../src/testing/index.ts'

const ESC = '\u001b'
const FOLDER = '/home/ana/api'

/** A session in which everything happens once, for looking at. */
export function story(): Log {
  return log({ seed: 'story', cwd: FOLDER, gitBranch: 'fix/tokens' })
    .title('Everything happens once')
    .user('Why are users logged out?')
    .assistant('Let me **look** at `refresh.ts`.', { thinking: 'Two tabs, one token.\nA race, surely.' })
    .readFile('src/refresh.ts', 'export const token = 1\nexport const other = 2\n')
    .tool('Grep', { pattern: 'refresh' }, { output: 'src/refresh.ts:1:export const token = 1\nsrc/other.ts' })
    .tool(
      'Bash',
      { command: 'npm test', description: 'Run the tests' },
      { output: `${ESC}[31mred words${ESC}[0m plain`, exitCode: 1 },
    )
    .tool(
      'Bash',
      { command: 'seq 200' },
      { output: Array.from({ length: 200 }, (_, i) => `line number ${i}`).join('\n') },
    )
    .edit('src/refresh.ts', { before: 'const a = 1\nconst b = 2\n', after: 'const a = 1\nconst b = 3\n' })
    .writeFile('src/new.ts', 'export const fresh = true\n')
    .todo([{ content: 'Find the race', status: 'completed', activeForm: 'Finding' }, 'Fix the race'])
    .tool('mcp__tracker__find', { query: 'login', deep: { levels: [1, 2] } }, { output: '{"found":[{"id":7}]}' })
    .tool(
      'WebSearch',
      { query: 'token race' },
      { output: 'Links: [{"title":"On races","url":"https://example.org/races"}]\n\nSome words.' },
    )
    .tool(
      'AskUserQuestion',
      { questions: [{ question: 'Which lock?', options: [{ label: 'Mutex' }, { label: 'Queue' }] }] },
      { output: 'User has answered your questions: "Which lock?"="Queue".' },
    )
    .subagent({
      type: 'Explore',
      description: 'Find callers',
      prompt: 'Find every caller of refresh.',
      steps: (agent) =>
        agent.tool('Bash', { command: 'grep -rn refresh' }, { output: 'inner output' }).subagent({
          type: 'general-purpose',
          description: 'Look deeper',
          prompt: 'Deeper.',
          result: 'Nothing deeper.',
        }),
      result: 'There are two callers.',
    })
    .assistant('Two callers refresh at once.')
    .image('See this picture')
    .assistant('A picture of a lock.')
    .bash('git status', 'clean tree')
    .command('/cost', { output: 'Total cost: $0.41' })
    .user('Use a mutex.')
    .assistant('Working.')
    .queued('And write a test.')
    .interrupt()
    .apiError('overloaded')
    .compact({ trigger: 'auto', preTokens: 154_000, postTokens: 6_400, summary: 'We found the race.' })
    .user('Make it blue.')
    .assistant('It is blue now.')
    .rewind({ to: 4 })
    .user('Make it red.')
    .plan('# The plan\n\n1. Paint it red')
    .subagent({ type: 'Explore', description: 'Paint behind', prompt: 'Paint.', background: true, result: 'Painted.' })
    .assistant('Painting goes on.')
    .notification({ agent: 'Paint behind', result: 'Painted.' })
    .assistant('It is red now.')
}

/** Writes the story into a root, and gives its session and the uuid of a row by its words. */
export function writeStory(dir: string) {
  const built = story()
  root().add(built).write(dir)
  return { session: built.sessionId, uuidOf: (words: string) => uuidOf(built.rows(), words) }
}

function uuidOf(rows: readonly JsonObject[], words: string): string {
  const row = rows.find((one) => JSON.stringify(one).includes(words) && stringAt(one, 'uuid') !== undefined)
  return stringAt(row, 'uuid') ?? ''
}

/** A session whose agent made so many calls. */
export function writeLongAgent(dir: string, calls: number): void {
  const built = log({ seed: 'long agent', cwd: FOLDER })
    .user('Count.')
    .subagent({
      type: 'Explore',
      description: 'Count',
      prompt: 'Count to the end.',
      steps: (agent) => {
        for (let i = 0; i < calls; i++) agent.tool('Bash', { command: `echo ${i}` }, { output: String(i) })
        return agent
      },
      result: 'Counted.',
    })
  root().add(built).write(dir)
}

/** Appends an answer to the log of the agent that was asked something. */
export function appendToAgent(dir: string, asked: string, text: string): void {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => /agent-\w+\.jsonl$/.test(name))
  for (const file of files.map((name) => join(dir, name))) {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    if (!lines[0]?.includes(asked)) continue
    const last = parseJson(lines.findLast((line) => line.includes('"assistant"')) ?? '')
    const end = parseJson(lines.at(-1) ?? '')
    const uuid = `eeeeeeee-0000-4000-8000-${String(lines.length).padStart(12, '0')}`
    const message = { ...objectAt(last, 'message'), id: `msg_${uuid}`, content: [{ type: 'text', text }] }
    const row = { ...(isObject(last) && last), parentUuid: stringAt(end, 'uuid') ?? null, uuid, message }
    appendFileSync(file, `${JSON.stringify(row)}\n`)
  }
}

const LONG_SESSION = '11111111-2222-4333-8444-555555555555'

/** A session of so many rows, each of which says its number; more can be appended. */
export function writeLong(dir: string, rows: number) {
  const file = join(dir, 'projects', '-home-ana-long', `${LONG_SESSION}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  const chunk: string[] = []
  writeFileSync(file, '')
  for (let i = 0; i < rows; i++) {
    chunk.push(longRow(i))
    if (chunk.length === 10_000 || i === rows - 1) appendFileSync(file, chunk.splice(0).join(''))
  }
  return {
    session: LONG_SESSION,
    file,
    append: (from: number, count: number) =>
      appendFileSync(file, Array.from({ length: count }, (_, i) => longRow(from + i)).join('')),
  }
}

const uuid = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`

/** Every tenth row is a prompt; the others are answers of different heights. */
function longRow(i: number): string {
  const isPrompt = i % 10 === 0
  const words = `This is row ${i}.`
  const text = isPrompt ? words : `${words}\n\n${'Some more words to fill it. '.repeat(i % 7)}`
  const at = new Date(Date.parse('2026-03-02T09:00:00.000Z') + i * 1000).toISOString()
  const base = {
    parentUuid: i === 0 ? null : uuid(i - 1),
    isSidechain: false,
    userType: 'external',
    cwd: '/home/ana/long',
    sessionId: LONG_SESSION,
    version: '2.1.112',
    gitBranch: 'main',
    uuid: uuid(i),
    timestamp: at,
  }
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const row = isPrompt
    ? { ...base, type: 'user', message: { role: 'user', content: text } }
    : {
        ...base,
        type: 'assistant',
        requestId: `req_${i}`,
        message: {
          id: `msg_${i}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-6',
          content: [{ type: 'text', text }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage,
        },
      }
  return `${JSON.stringify(row)}\n`
}
