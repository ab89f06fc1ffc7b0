import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Log, log, root } from '../../src/testing/index.ts'

const VERSIONS = ['1.0.65', '1.0.128', '2.0.77', '2.1.4', '2.1.68', '2.1.112', '2.1.325'] as const
const ACTIONS = [
  'ask',
  'fork',
  'resume',
  'branch',
  'sdk',
  'rewind',
  'agent',
  'title',
  'junk',
  'summary',
  'copy',
] as const

/** Something that happens in a history: to one of the sessions there are, or, as `start`, a new one. */
export interface Action {
  readonly what: (typeof ACTIONS)[number] | 'start'
  readonly at: number
  readonly version: (typeof VERSIONS)[number]
  readonly terminal: boolean
}

export const action: fc.Arbitrary<Action> = fc.record({
  what: fc.constantFrom('start', ...ACTIONS),
  at: fc.nat(20),
  version: fc.constantFrom(...VERSIONS),
  terminal: fc.boolean(),
})

const CHANGES = ['rename', 'append', 'rewrite', 'delete', 'purge'] as const

/** What happens to a session afterwards. */
export interface Change {
  readonly what: (typeof CHANGES)[number]
  readonly at: number
}

export const change: fc.Arbitrary<Change> = fc.record({ what: fc.constantFrom(...CHANGES), at: fc.nat(20) })

/** Writes a history into a root. */
export function writeHistory(dir: string, actions: readonly Action[]): void {
  const made = root()
  const logs: Log[] = []
  const prompts = new Map<Log, number>()
  const add = (one: Log, asked: number) => {
    if (logs.includes(one)) return
    logs.push(one)
    prompts.set(one, asked)
  }
  const ask = (one: Log, text: string) => {
    prompts.set(one, (prompts.get(one) ?? 0) + 1)
    one.user(text).tool('Bash', { command: 'ls' }, { output: 'a' }).assistant(`Answer to ${text}`)
  }
  const start = ({ version, terminal }: Action, n: number) => {
    const startedAt = new Date(Date.UTC(2026, 1, 1 + (n % 20), n)).toISOString()
    const entrypoint = terminal ? 'cli' : 'sdk-cli'
    add(log({ version, entrypoint, startedAt, seed: `start ${n}`, requests: true }), 0)
    ask(logs.at(-1) as Log, `start ${n}`)
  }
  start({ what: 'start', at: 0, version: '2.1.325', terminal: true }, 0)
  actions.forEach((one, i) => {
    const n = i + 1
    const subject = logs[one.at % logs.length] as Log
    const asked = prompts.get(subject) ?? 0
    const seed = `${one.what} ${n}`
    if (one.what === 'start') start(one, n)
    else if (one.what === 'ask') ask(subject, `more ${n}`)
    else if (one.what === 'fork') add(subject.forked({ seed }), asked)
    else if (one.what === 'resume') add(subject.resumed({ seed, copied: true }), asked)
    else if (one.what === 'branch') add(subject.branched({ seed }), asked)
    else if (one.what === 'sdk') add(subject.sdkForked({ seed }), asked)
    else if (one.what === 'rewind' && asked > 1) ask(subject.rewind({ to: asked }), `other ${n}`)
    else if (one.what === 'agent') ask(withAgent(subject, n), `then ${n}`)
    else if (one.what === 'title') {
      subject.title(`Title ${n}`)
      // Far from the end: no look at the tail finds it.
      ask(subject, `long ${n} ${'x'.repeat(40_000)}`)
    } else if (one.what === 'copy') {
      const name = `copy-${n}-of-${subject.sessionId.slice(0, 8)}`
      made.file(`projects/-home-ana-api/${name}.jsonl`, subject.content(), '2026-03-20T00:00:00.000Z')
    } else {
      // A summary lies in another file than the row it names, which may be any.
      const rows = subject.rows().filter(({ type, uuid }) => uuid !== undefined && type === 'assistant')
      const leaf = rows[(one.at * 7) % Math.max(1, rows.length)]?.uuid
      const text = one.what === 'junk' ? 'Invalid API key · Please run /login' : `Summary ${n}`
      if (typeof leaf === 'string') add(log({ version: '2.0.14', seed }).summary(text, leaf), 0)
    }
  })
  made.add(...logs).write(dir)
}

function withAgent(one: Log, n: number): Log {
  const steps = (agent: { user(text: string): unknown; assistant(text: string): unknown }) => agent.assistant('working')
  return one.user(`ask an agent ${n}`).subagent({ description: 'look', prompt: `look ${n}`, steps, result: 'seen' })
}

/** Changes sessions one after the other, purges by what it is given. */
export async function changeHistory(
  dir: string,
  changes: readonly Change[],
  purge: (session: string, source: boolean) => Promise<void>,
): Promise<void> {
  const project = join(dir, 'projects', '-home-ana-api')
  for (const [n, { what, at }] of changes.entries()) {
    const names = existsSync(project) ? readdirSync(project).filter(isSession) : []
    const stem = names[at % names.length]?.replace('.jsonl', '')
    if (stem === undefined) continue
    const log = join(project, `${stem}.jsonl`)
    if (statSync(log).size === 0) continue
    if (what === 'delete') rmSync(log)
    else if (what === 'purge') await purge(stem, at % 2 === 0)
    else if (what === 'append') appendFileSync(log, laterRow(stem, n))
    else if (what === 'rewrite') rewrite(log, laterRow(stem, n), at)
    else {
      for (const ending of ['.jsonl', '']) {
        const path = join(project, stem + ending)
        if (existsSync(path)) renameSync(path, join(project, `${at % 2 ? 'zz' : '00'}-renamed-${n}${ending}`))
      }
    }
  }
}

const isSession = (name: string) => name.endsWith('.jsonl') && !name.startsWith('agent-')

/** The first half of a log, in its own file or in a new one, and another end. */
function rewrite(log: string, end: string, at: number): void {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
  const kept = lines.slice(0, Math.ceil(lines.length / 2))
  if (at % 2) rmSync(log)
  writeFileSync(log, `${kept.join('\n')}\n${end}`)
}

function laterRow(session: string, n: number): string {
  const message = {
    id: `msg_later_${n}`,
    model: 'claude-opus-5-5',
    content: [{ type: 'text', text: 'later' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1000, output_tokens: 50 + n },
  }
  const row = { type: 'assistant', uuid: `later-${n}`, parentUuid: null, isSidechain: false, sessionId: session }
  const timestamp = `2026-03-07T00:00:0${n}.000Z`
  return `${JSON.stringify({ ...row, timestamp, requestId: `req_later_${n}`, message })}\n`
}
