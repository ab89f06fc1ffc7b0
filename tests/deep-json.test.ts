import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type JsonObject, type JsonValue, parseAnyDepth, parseJson, parseRewritable } from '../src/core/json.ts'
import { isTooDeep, MOST_LEVELS } from '../src/core/json-depth.ts'
import { jsonText, resultText } from '../src/core/json-text.ts'
import { duplicateKeys } from '../src/core/log/duplicate-keys.ts'
import { readLine } from '../src/core/log/record.ts'
import { stringsIn } from '../src/core/strings-in.ts'
import { pruneLog } from '../src/edit/prune-log.ts'
import { loadAll, opLoaders } from '../src/ops/index.ts'
import { maskedFile } from '../src/redact/masked-file.ts'
import { createRedactor } from '../src/redact/redactor.ts'
import { close, type EditedRoot, editedRoot } from './support/edited-root.ts'

const ops = await loadAll(opLoaders)

const DEPTH = 100_000
const DEEP = 'dddd4444-0000-4000-8000-000000000004'
const PLAIN_TEXT = 'an ordinary question'
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

const arrays = (depth: number, inside = '"bottom"') => '['.repeat(depth) + inside + ']'.repeat(depth)
const objects = (depth: number, inside = '"bottom"') => '{"a":'.repeat(depth) + inside + '}'.repeat(depth)

/** Rows with a deep value in every place that something keeps, shows or writes again. */
function deepRows(depth: number): readonly string[] {
  const deep = objects(depth)
  let n = 0
  const row = (rest: string) => {
    n += 1
    const uuid = `dddd4444-0000-4000-8000-${String(n).padStart(12, '0')}`
    const base = `"uuid":"${uuid}","parentUuid":null,"isSidechain":false,"sessionId":"${DEEP}","cwd":"/work","version":"2.1.325","timestamp":"2026-03-02T10:00:00.000Z"`
    return `{${base},${rest}}`
  }
  const use = `"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls","more":${deep}}`
  return [
    row(`"type":"user","message":{"role":"user","content":"${PLAIN_TEXT}"}`),
    `{"type":"cost-state","sessionId":"${DEEP}","costUSD":1,"modelUsage":${deep}}`,
    row(`"type":"user","message":{"role":"user","content":${arrays(depth)}}`),
    row(
      `"type":"assistant","requestId":"r1","message":{"id":"m1","model":"claude-x","role":"assistant","content":[{${use}}],"usage":{"input_tokens":1,"output_tokens":1,"more":${deep}}}`,
    ),
    row(
      `"type":"user","toolUseResult":${deep},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":${arrays(depth)}}]}`,
    ),
    row(`"type":"attachment","attachment":{"type":"x","more":${deep}}`),
    row(`"type":"system","subtype":"x","content":${deep}`),
    `{"type":"never-heard-of","sessionId":"${DEEP}","more":${deep}}`,
    `{"type":"file-history-snapshot","messageId":"x","snapshot":${deep}}`,
    `{"type":"queue-operation","operation":"enqueue","content":${deep},"sessionId":"${DEEP}"}`,
    `{"type":"summary","summary":${deep},"leafUuid":${arrays(depth)}}`,
    // Damaged: what stands before it is cut off.
    `{"type":"tag",{"type":"mode","mode":${deep}}`,
    arrays(depth),
    deep,
  ]
}

describe.each([5_000, 20_000, DEPTH])('a log with rows nested %i deep', (depth) => {
  let made: EditedRoot
  let log: string
  beforeAll(() => {
    made = editedRoot((built) => {
      built.file('.claude.json', objects(depth))
      built.file('settings.json', `{"cleanupPeriodDays":30,"env":${objects(depth)}}`)
      built.file(`todos/${DEEP}-agent-${DEEP}.json`, arrays(depth))
    })
    const folder = join(made.root, 'projects/-deep')
    mkdirSync(join(folder, DEEP, 'subagents'), { recursive: true })
    log = join(folder, `${DEEP}.jsonl`)
    writeFileSync(log, `${deepRows(depth).join('\n')}\n`)
    writeFileSync(join(folder, DEEP, 'custom-title.json'), `{"customTitle":${objects(depth)}}`)
    writeFileSync(join(folder, DEEP, 'subagents/agent-a1.meta.json'), `{"agentType":${objects(depth)}}`)
    writeFileSync(join(folder, DEEP, 'subagents/agent-a1.jsonl'), `${deepRows(depth).slice(0, 5).join('\n')}\n`)
    writeFileSync(join(made.root, 'history.jsonl'), `{"display":"x","pastedContents":${objects(depth)}}\n`, {
      flag: 'a',
    })
  })
  afterAll(() => made.remove())

  /** Every operation that reads sessions; what it needs to be told. */
  const INPUTS: Readonly<Record<string, object>> = {
    sessions: {},
    usage: { by: 'session' },
    search: { query: ['ordinary'] },
    find: { session: DEEP, query: 'ordinary' },
    show: { session: DEEP },
    outline: { session: DEEP },
    timeline: { session: DEEP },
    context: { session: DEEP },
    tree: { session: DEEP },
    stats: {},
    files: {},
    agents: { session: DEEP },
    plans: {},
    todos: {},
    skills: {},
    prompts: {},
    memory: {},
    projects: {},
    recap: {},
    read: { session: DEEP },
    receipt: { what: DEEP },
    status: {},
    doctor: {},
    check: {},
    redact: { action: 'scan' },
    index: {},
    keep: {},
  }

  test.each(Object.entries(INPUTS))('%s answers', async (name, input) => {
    const op = (ops as Readonly<Record<string, { run: (context: unknown, input: object) => unknown }>>)[name]
    expect(op, name).toBeDefined()
    for (const cacheDir of [undefined, join(made.folder, 'cache')]) {
      const context = made.context({ cacheDir })
      try {
        const result = (await op?.run(context, input)) as object
        expect(resultText(result).length).toBeGreaterThan(2)
        if (name === 'sessions') {
          const ids = (result as { items: { id: string }[] }).items.map(({ id }) => id)
          expect(ids).toContain(DEEP)
          expect(ids).toContain(made.sessionId)
        }
        if (name === 'check') expect(resultText(result)).toContain('TOO_DEEP')
      } finally {
        close(context)
      }
    }
  })

  test('the bytes of a deep row are readable by its place', async () => {
    const lines = readFileSync(log, 'utf8').split('\n')
    const offset = Buffer.byteLength(`${lines[0]}\n`)
    const context = made.context()
    try {
      const { text, raw } = (await ops.record.run(context, { file: log, offset })) as { text: string; raw: unknown }
      expect(text === lines[1]).toBe(true)
      expect(raw).toBeNull()
    } finally {
      close(context)
    }
  })
})

/** Every function that recurses over, copies or stringifies JSON of somebody else. `docs/reliability.md` lists them. */
const PLACES: Readonly<Record<string, (text: string, value: JsonObject) => unknown>> = {
  'core/json.ts parseJson': (text) => JSON.stringify(parseJson(text)),
  'core/json.ts parseRewritable': (text) => expect(parseRewritable(text)).toBeUndefined(),
  'core/json-text.ts jsonText': (_, value) => jsonText(value),
  'core/strings-in.ts stringsIn': (_, value) => [...stringsIn(value)],
  'core/log/record.ts readLine': (text) => {
    const { value, diagnostics } = readLine(Buffer.from(text), PLACE)
    expect(diagnostics).toMatchObject([{ code: 'TOO_DEEP', salvaged: true, place: { offset: 0 } }])
    expect(value).toHaveLength(1)
    return JSON.stringify(value)
  },
  'core/log/record.ts readLine, damaged': (text) => {
    const { value, diagnostics } = readLine(Buffer.from(`{"torn":${text}`), PLACE)
    expect(diagnostics.map(({ code }) => code)).toContain('TOO_DEEP')
    return JSON.stringify(value)
  },
  'core/log/duplicate-keys.ts': (text, value) => duplicateKeys(Buffer.from(text), value),
  'redact/redactor.ts value': (_, value) => redactor.value(value),
  'redact/masked-file.ts': (text) => {
    const clean = maskedFile(Buffer.from(`${text}\n`), 'x.jsonl', redactor)?.toString('utf8') ?? ''
    expect(clean).not.toContain(SECRET)
    // Nothing but the secret has changed.
    expect(clean.replace(/\[REDACTED:[^\]]*\]/, SECRET) === `${text}\n`).toBe(true)
  },
  'edit/prune-log.ts': (text) => {
    const row = `{"type":"user","message":{"content":[{"type":"tool_result","content":"${'x'.repeat(99)}"}]},"more":${text}}\n`
    const pruned = pruneLog(Buffer.from(row), 10, () => true)
    expect(pruned).toMatchObject({ rows: 0, damaged: 1 })
    expect(pruned.bytes.toString('utf8') === row).toBe(true)
  },
}
const PLACE = { file: '/logs/s.jsonl', line: 1, offset: 0, length: 0 }
const redactor = createRedactor({ key: Buffer.alloc(32, 1) })

test.each(Object.entries(PLACES))('%s takes any depth', (_, work) => {
  for (const depth of [5_000, 20_000, DEPTH]) {
    const text = `{"type":"cost-state","deep":${objects(depth, `"${SECRET}"`)}}`
    work(text, parseAnyDepth(text) as JsonObject)
  }
})

test('what has as many levels as are read stays as it is, one more is cut', () => {
  const most = objects(MOST_LEVELS)
  expect(JSON.stringify(parseJson(most))).toBe(most)
  const more = parseJson(objects(MOST_LEVELS + 1)) as JsonValue
  expect(isTooDeep(more)).toBe(false)
  expect(JSON.stringify(more)).toBe(objects(MOST_LEVELS, '"…"'))
})
