import { afterAll, describe, expect, test } from 'vitest'
import type { ExportOptions } from '../src/export/exporter.ts'
import { estimateTokens } from '../src/export/xml/budget.ts'
import { xml } from '../src/export/xml/xml.ts'
import { createRedactor } from '../src/redact/redactor.ts'
import { type Log, log, root } from '../src/testing/index.ts'
import { temporaryFolder } from './cli/annals.ts'
import { exportJob, filesOf, tableOf } from './exporting.ts'
import { elementsIn, readXml, textIn, type XmlElement } from './xml-checker.ts'

const folder = temporaryFolder()
afterAll(folder.remove)
let count = 0

function made(...logs: readonly Log[]): string {
  const path = `${folder.path}/root-${count++}`
  root()
    .add(...logs)
    .write(path)
  return path
}

async function textFor(one: Log, options: Partial<ExportOptions> = {}): Promise<string> {
  const job = await exportJob(made(one), { options })
  const [file] = (await filesOf(xml, job.sessions[0] as (typeof job.sessions)[number], job)).values()
  return String(file)
}

const documentFor = async (one: Log, options: Partial<ExportOptions> = {}) => readXml(await textFor(one, options))
const texts = (element: XmlElement, tag: string) => elementsIn(element, tag).map(textIn)
const attribute = (element: XmlElement | undefined, name: string) => element?.attributes.get(name)

describe('one session', () => {
  test('tells who asked what, what was thought, called and answered', async () => {
    const one = log({ cwd: '/home/ana/api' })
      .user('Fix the <race> & tell me')
      .assistant('I look first.', { thinking: 'Where is it?' })
      .tool('Bash', { command: 'git status', description: 'See' }, { output: 'clean' })
      .assistant('It is fixed.')
    const read = await documentFor(one)
    expect(texts(read, 'user')).toEqual(['Fix the <race> & tell me'])
    expect(texts(read, 'think')).toEqual(['Where is it?'])
    expect(texts(read, 'say')).toEqual(['I look first.'])
    expect(texts(read, 'answer')).toEqual(['It is fixed.'])
    const [call] = elementsIn(read, 'call')
    expect(Object.fromEntries(call?.attributes ?? [])).toEqual({
      tool: 'Bash',
      command: 'git status',
      description: 'See',
    })
    expect(texts(read, 'out')).toEqual(['clean'])
    expect(attribute(elementsIn(read, 'session')[0], 'folder')).toBe('/home/ana/api')
  })

  test('leaves thinking out where it is not wanted', async () => {
    const read = await documentFor(log().user('a').assistant('b', { thinking: 'hm' }), { thinking: false })
    expect(texts(read, 'think')).toEqual([])
  })

  test('cuts long parameters and results, and says how much; errors stay whole', async () => {
    const long = Array.from({ length: 400 }, (_, n) => `line ${n}`).join('\n')
    const one = log()
      .user('go')
      .tool('Bash', { command: `echo ${'x'.repeat(3000)}` }, { output: long })
      .tool('Bash', { command: 'false' }, { output: `${long}\nE2`, isError: true })
      .assistant('done')
    const read = await documentFor(one)
    const [out] = elementsIn(read, 'out')
    const cut = Number(attribute(out && elementsIn(out, 'cut')[0], 'chars'))
    expect(textIn(out as XmlElement).length + cut).toBe(long.length)
    expect(textIn(out as XmlElement)).toMatch(/^line 0\n[\s\S]*line 399$/)
    expect(texts(read, 'error')[0]).toContain(`${long}\nE2`)
    const [input] = elementsIn(read, 'in')
    expect(
      textIn(input as XmlElement).length + Number(attribute(elementsIn(input as XmlElement, 'cut')[0], 'chars')),
    ).toBe(3005)
  })

  test('tells a text that comes again once, and refers to it', async () => {
    const content = 'const a = 1\n'.repeat(40)
    const one = log()
      .user('read twice')
      .readFile('/home/ana/api/a.ts', content)
      .readFile('/home/ana/api/a.ts', content)
      .assistant('same')
    const [first, second] = elementsIn(await documentFor(one), 'out')
    expect(attribute(first, 'id')).toBe('t1')
    expect(textIn(first as XmlElement)).toContain('const a = 1')
    expect(attribute(second, 'same')).toBe('t1')
    expect(textIn(second as XmlElement)).toBe('')
  })

  test('a plan is whole although a cut copy of it came before', async () => {
    const plan = `# The plan\n\n${'- a step that matters\n'.repeat(200)}`.trim()
    const one = log()
      .user('plan it')
      .tool('Write', { file_path: '/home/ana/.claude/plans/x.md', content: plan }, { output: 'ok' })
      .plan(plan)
      .assistant('Shall I?')
    expect(texts(await documentFor(one), 'plan')).toEqual([plan])
  })

  test('agents stand where they were called; warmups are dropped', async () => {
    const one = log({ version: '2.0.77' })
      .warmup()
      .user('ask around')
      .subagent({
        type: 'Explore',
        description: 'Look',
        prompt: 'Find the router',
        steps: (agent) => agent.tool('Grep', { pattern: 'route' }, { output: 'src/router.ts' }),
        result: 'It is in src/router.ts',
      })
      .assistant('Found.')
    const read = await documentFor(one)
    const [call] = elementsIn(read, 'call')
    const [agent, ...others] = elementsIn(read, 'agent')
    expect(others).toEqual([])
    expect(call?.children).toContain(agent)
    expect(attribute(agent, 'type')).toBe('Explore')
    expect(texts(agent as XmlElement, 'task')).toEqual(['Find the router'])
    expect(texts(agent as XmlElement, 'answer')).toEqual(['It is in src/router.ts'])
    expect((await textFor(one)).match(/Find the router/g)).toHaveLength(1)
    expect(await textFor(one)).not.toContain('Warmup')
  })

  test('what the conversation went back behind is there, and marked', async () => {
    const one = log()
      .user('first way')
      .assistant('went there')
      .rewind({ to: 1 })
      .user('second way')
      .assistant('went here')
    const turns = elementsIn(await documentFor(one), 'turn')
    expect(turns.map((turn) => [texts(turn, 'user')[0], attribute(turn, 'abandoned')])).toEqual([
      ['first way', 'yes'],
      ['second way', undefined],
    ])
  })

  test('odd tools, names and characters stay well-formed', async () => {
    const one = log()
      .user('\u0000\ud800 ]]> <![CDATA[ & \u001b[31m')
      .tool(
        '__proto__',
        { 'a b': '"<&', tool: 'mine', constructor: 'x', nested: { deep: [1, '<'] } },
        { output: ']]>'.repeat(100) },
      )
      .assistant('ok')
    const [call] = elementsIn(await documentFor(one), 'call')
    expect(attribute(call, 'tool')).toBe('__proto__')
    expect(attribute(call, 'constructor')).toBe('x')
    expect(attribute(call, 'nested')).toBe('{"deep":[1,"<"]}')
    expect(elementsIn(call as XmlElement, 'in').map((piece) => [attribute(piece, 'name'), textIn(piece)])).toEqual([
      ['a b', '"<&'],
      ['tool', 'mine'],
    ])
  })

  test('is cut into parts at the limit, each of which can be read alone', async () => {
    const same = 'the same long text '.repeat(60)
    const one = log()
    for (let turn = 0; turn < 60; turn++) {
      one
        .user(`prompt ${turn} ${'p'.repeat(6000)}`)
        .tool('Bash', { command: `run ${turn}` }, { output: same })
        .assistant(`answer ${turn} ${'a'.repeat(6000)}`)
    }
    const text = await textFor(one)
    const parts = elementsIn(readXml(text), 'part')
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.map((part) => attribute(part, 'n'))).toEqual(parts.map((_, at) => String(at + 1)))
    for (const part of parts) {
      expect(estimateTokens(textIn(part))).toBeLessThanOrEqual(100_000)
      // What a part refers to is in it.
      const ids = new Set(elementsIn(part, 'out').map((out) => attribute(out, 'id')))
      for (const out of elementsIn(part, 'out'))
        if (attribute(out, 'same')) expect(ids).toContain(attribute(out, 'same'))
    }
    expect(elementsIn(readXml(text), 'user')).toHaveLength(60)
  })
})

describe('a budget', () => {
  const one = log()
  for (let turn = 0; turn < 12; turn++) {
    one
      .user(`Question ${turn}`)
      .assistant(`I will look into ${turn}. ${'Because. '.repeat(30)}`, {
        thinking: `Thought ${turn}. ${'Hm. '.repeat(100)}`,
      })
      .tool('Bash', { command: `make ${turn}\n${'# note\n'.repeat(60)}` }, { output: `${turn}: ${'ok\n'.repeat(400)}` })
      .tool('Bash', { command: 'fail' }, { output: `Failure ${turn} ${'e'.repeat(200)}`, isError: true })
      .plan(`# Plan ${turn}`)
      .assistant(`Answer ${turn}`)
  }
  const whole = Promise.resolve().then(() => textFor(one))

  test.each([9000, 5000, 3000])('of %i tokens is kept, and nothing that must stay is missing', async (budget) => {
    const text = await textFor(one, { budget })
    expect(estimateTokens(text)).toBeLessThanOrEqual(budget)
    expect(estimateTokens(text)).toBeLessThan(estimateTokens(await whole))
    const read = readXml(text)
    for (let turn = 0; turn < 12; turn++) {
      expect(texts(read, 'user')).toContain(`Question ${turn}`)
      expect(texts(read, 'plan')).toContain(`# Plan ${turn}`)
      expect(texts(read, 'answer')).toContain(`Answer ${turn}`)
      expect(textIn(read)).toContain(`Failure ${turn} eee`)
    }
  })

  test('takes from the oldest results first', async () => {
    const size = estimateTokens(await whole)
    const outs = elementsIn(await documentFor(one, { budget: size - 500 }), 'out').filter((out) =>
      /^\d+: ok/.test(textIn(out)),
    )
    const lengths = outs.map((out) => textIn(out).length)
    expect(lengths[0]).toBeLessThan(lengths.at(-1) as number)
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
    expect(texts(await documentFor(one, { budget: size - 500 }), 'think')).toHaveLength(12)
  })

  test('that is too small for what must stay is said', async () => {
    const warnings: string[] = []
    const job = await exportJob(made(one), { options: { budget: 50 }, warn: ({ message }) => warnings.push(message) })
    const [file] = (await filesOf(xml, job.sessions[0] as (typeof job.sessions)[number], job)).values()
    expect(textIn(readXml(String(file)))).toMatch(
      /What people asked, plans, errors and answers alone come to about \d+ tokens/,
    )
    expect(warnings).toEqual([expect.stringMatching(/more than the 50 that --budget allows/)])
    expect(texts(readXml(String(file)), 'answer')).toHaveLength(12)
  })
})

describe('several sessions', () => {
  test('make one document, the oldest first; empty ones are counted', async () => {
    const first = log({ seed: 'a', startedAt: '2026-03-01T09:00:00.000Z' }).user('one').assistant('1')
    const second = log({ seed: 'b', startedAt: '2026-03-02T09:00:00.000Z' }).user('two').assistant('2')
    const empty = log({ seed: 'c', startedAt: '2026-03-03T09:00:00.000Z' }).title('nothing said')
    const job = await exportJob(made(second, first, empty))
    const read = readXml(String(await tableOf(xml, job.sessions, job)))
    expect(texts(read, 'user')).toEqual(['one', 'two'])
    expect(elementsIn(read, 'session')).toHaveLength(2)
    expect(attribute(elementsIn(read, 'left-out')[0], 'sessions')).toBe('1')
  })

  test('share a budget', async () => {
    const logs = ['a', 'b', 'c'].map((seed) =>
      log({ seed })
        .user(`ask ${seed}`)
        .tool('Bash', { command: 'x' }, { output: `${seed} `.repeat(2000) })
        .assistant(`end ${seed}`),
    )
    const job = await exportJob(made(...logs), { options: { budget: 700 } })
    const text = String(await tableOf(xml, job.sessions, job))
    expect(estimateTokens(text)).toBeLessThanOrEqual(700)
    expect(texts(readXml(text), 'answer').sort()).toEqual(['end a', 'end b', 'end c'])
  })
})

test('secrets are masked before anything is cut, wherever the cut falls', async () => {
  const secret = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`
  const redactor = createRedactor({ key: new Uint8Array(32) })
  for (let at = 760; at <= 840; at += 4) {
    const output = `${'w '.repeat(at / 2)}${secret} ${'z '.repeat(900)}`
    const one = log({ seed: `at ${at}` })
      .user(`use ${secret}`)
      .tool('Bash', { command: `curl ${secret}`, password: 'hunter2-hunter2' }, { output })
      .assistant(`used ${secret}`)
    const job = await exportJob(made(one), { redactor, options: { budget: 600 } })
    const [file] = (await filesOf(xml, job.sessions[0] as (typeof job.sessions)[number], job)).values()
    for (let from = 4; from + 8 < secret.length; from++)
      expect(String(file)).not.toContain(secret.slice(from, from + 8))
    expect(String(file)).not.toContain('hunter2-hunter2')
    expect(String(file)).toContain('[REDACTED:github-token:')
  }
})
