import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../../core/json.ts'
import type { Static } from '../../core/schema.ts'
import { Library } from '../../disk/library.ts'
import { files } from '../../ops/files.ts'
import { type BuiltFile, type Log, log } from '../../testing/index.ts'
import type { Context } from '../context.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-file-at-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const FILE = '/home/ana/api/src/auth.ts'

function contextOf(built: readonly BuiltFile[], more: Partial<Context> = {}): Context {
  const root = mkdtempSync(join(folder, 'root-'))
  for (const { path, content } of built) {
    const full = join(root, path)
    mkdirSync(join(full, '..'), { recursive: true })
    writeFileSync(full, content)
  }
  const rest = { cwd: '/home/ana/api', home: folder, currentSession: undefined, warn: () => {}, progress: () => {} }
  return { library: new Library({ roots: [root] }), now: new Date('2026-03-08T12:00:00Z'), ...rest, ...more }
}

async function ask(context: Context, input: Static<typeof files.input>) {
  const result = await files.run(context, { path: 'src/auth.ts', ...input })
  expect([...Value.Errors(files.result, result)]).toEqual([])
  return result
}

describe('a file that was made, edited and changed by a command', () => {
  const made = log()
    .user('make it')
    .writeFile(FILE, 'one\ntwo\n')
    .assistant('made')
    .user('change it')
    .edit(FILE, { before: 'one\ntwo\n', after: 'one\n2\n' })
    .assistant('changed')
    .user('look at it')
    .readFile(FILE, 'one\n2\n')
    .tool('Bash', { command: 'sed -i s/one/1/ src/auth.ts' })
    .assistant('looked')
  const context = contextOf(made.files())
  const at = (point: string) => ask(context, { at: point })

  test('is known at the end of each turn, and how sure that is', async () => {
    expect(await at('0')).toMatchObject({ exists: false, text: null, path: FILE, session: made.sessionId })
    expect(await at('1')).toMatchObject({ text: 'one\ntwo\n', confidence: 'confirmed', source: 'write', unknown: [] })
    expect(await at('2')).toMatchObject({ text: 'one\n2\n', confidence: 'confirmed', source: 'edit', unknown: [] })
    expect(await at('3')).toMatchObject({ text: 'one\n2\n', confidence: 'doubtful', items: [{ operation: 'edit' }] })
    expect((await at('3')).unknown).toMatchObject([expect.stringContaining('Commands that name the file')])
  })

  test('is known after a row, and after the answers to its calls', async () => {
    const rows = made.rows()
    const call = rows.find((row) => JSON.stringify(row).includes('"name":"Edit"')) as JsonObject
    const before = rows.find((row) => JSON.stringify(row).includes('change it')) as JsonObject
    expect(await at(String(call.uuid))).toMatchObject({ text: 'one\n2\n' })
    expect(await at(String(before.uuid))).toMatchObject({ text: 'one\ntwo\n' })
  })

  test('has its versions, each with its content', async () => {
    const { versions = [] } = await ask(context, { versions: true })
    expect(versions.map(({ number, operation, text, at: { turn } }) => [number, operation, text, turn])).toEqual([
      [0, 'start', null, 0],
      [1, 'write', 'one\ntwo\n', 1],
      [2, 'edit', 'one\n2\n', 2],
    ])
    for (const version of versions.slice(1)) {
      expect(await at(version.at.uuid ?? '')).toMatchObject({ text: version.text })
    }
  })

  test('is compared between two points', async () => {
    const { text, against } = await ask(context, { at: '1', diff: '2' })
    expect([text, against?.text]).toEqual(['one\ntwo\n', 'one\n2\n'])
  })

  test.each([
    ['9', 'There is no turn 9'],
    ['ffffffff', 'No row of this session'],
  ])('says what is wrong with the point %s', async (point, message) => {
    await expect(at(point)).rejects.toThrow(message)
  })

  test('says what is wrong with the path', async () => {
    const other = ask(context, { path: 'other.ts', at: '1' })
    await expect(other).rejects.toThrow('No session here touched a file other.ts')
    await expect(files.run(context, { at: '1' })).rejects.toThrow('Which file?')
  })
})

test('the archive or the disk may lack a checkpoint: that is said where nothing else tells', async () => {
  const made = log()
    .user('edit')
    .edit(FILE, { before: 'a\n', after: 'b\n' })
    .assistant('done')
    .user('again')
    .assistant('ok')
  const bare = made.files().map((file) => (file.path.endsWith('.jsonl') ? { ...file, content: without(file) } : file))
  const without0 = bare.filter(({ path }) => !path.startsWith('file-history/'))
  expect(await ask(contextOf(bare), { at: '0' })).toMatchObject({
    text: 'a\n',
    source: 'found',
    confidence: 'doubtful',
  })
  expect(await ask(contextOf(bare), { at: '1' })).toMatchObject({ text: 'b\n', confidence: 'confirmed' })
  const gone = await ask(contextOf(without0), { at: '1' })
  expect(gone).toMatchObject({ text: null, exists: null, confidence: 'none', total: 0 })
  expect(gone.unknown?.join(' ')).toContain('copy that a checkpoint')
})

/** The log without what tools told about files: as the logs of agents often are. */
function without({ content }: BuiltFile): string {
  return linesOf(content)
    .map(({ toolUseResult, ...row }) => `${JSON.stringify(row)}\n`)
    .join('')
}

function linesOf(content: string | Uint8Array): readonly JsonObject[] {
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content)
  return text.split('\n').flatMap((line) => {
    const row = parseJson(line)
    return isObject(row) ? [row] : []
  })
}

describe('written out', () => {
  const made = log().user('make it').writeFile(FILE, 'one\n').assistant('made')
  const target = mkdtempSync(join(folder, 'out-'))
  const context = contextOf(made.files(), { cwd: target })
  const out = async (to: string, input: object = {}) => files.run(context, { path: FILE, at: '1', out: to, ...input })

  test('it is the file, for its owner alone', async () => {
    expect(await out('a.ts')).toMatchObject({ written: expect.stringMatching(/a\.ts$/) })
    expect(readFileSync(join(target, 'a.ts'), 'utf8')).toBe('one\n')
    expect(statSync(join(target, 'a.ts')).mode & 0o777).toBe(0o600)
  })

  test('nothing is replaced unasked', async () => {
    writeFileSync(join(target, 'b.ts'), 'mine')
    await expect(out('b.ts')).rejects.toThrow('b.ts already exists')
    expect(readFileSync(join(target, 'b.ts'), 'utf8')).toBe('mine')
    await out('b.ts', { force: true })
    expect(readFileSync(join(target, 'b.ts'), 'utf8')).toBe('one\n')
  })

  test.each([
    ['link', 'is a link'],
    ['sub', 'is not a file'],
    ['nowhere/x', 'There is no folder'],
    ['root/x', 'folder of Claude Code'],
    ['root', 'is a link'],
    ['../nowhere/../x/y', 'There is no folder'],
    ['sub/', 'is not a file'],
    ['.', 'is not a file'],
    ['/', 'is not a file'],
    ['/dev/null', 'is not a file'],
    ['pipe', 'is not a file'],
    ['plain/x', 'There is no folder'],
    ['root/projects/x', 'folder of Claude Code'],
    ['sub/../root/x', 'folder of Claude Code'],
    ['n'.repeat(300), 'is too long'],
  ])('nothing is written to %s', async (odd, message) => {
    symlinkSync(join(target, 'elsewhere'), join(target, 'link'))
    symlinkSync(context.library.roots[0] as string, join(target, 'root'))
    mkdirSync(join(target, 'sub'))
    writeFileSync(join(target, 'plain'), '')
    execFileSync('mkfifo', [join(target, 'pipe')])
    try {
      await expect(out(odd, { force: true })).rejects.toThrow(message)
    } finally {
      for (const name of ['link', 'root', 'sub', 'plain', 'pipe']) rmSync(join(target, name), { recursive: true })
    }
  })

  test('a file that was not there is not written', async () => {
    await expect(out('x', { at: '0' })).rejects.toThrow('The file did not exist')
  })

  test('and never for those who ask over HTTP', async () => {
    const asked = { ...context, rootsOnly: true }
    await expect(files.run(asked, { path: FILE, at: '1', out: 'c.ts' })).rejects.toThrow('command line only')
    await expect(files.run(asked, { path: FILE, at: '1', diff: 'disk' })).rejects.toThrow('command line only')
  })
})

/** Clients that note checkpoints as snapshots, as deltas, and one that has none. */
const VERSIONS = ['1.0.65', '2.0.77', '2.1.325']

interface Client {
  readonly version: string
  readonly isTerminal: boolean
}

const client: fc.Arbitrary<Client> = fc.record({ version: fc.constantFrom(...VERSIONS), isTerminal: fc.boolean() })

interface Action {
  readonly do: 'prompt' | 'read' | 'command' | 'edit' | 'write'
  readonly line: number
  readonly kind: number
}

const action: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom('prompt', 'read', 'command', 'edit', 'edit', 'write'),
  line: fc.nat(20),
  kind: fc.nat(3),
})

/** Plays actions into a log and a plain model: the file at the end of each turn. */
function play(actions: readonly Action[], { version, isTerminal }: Client): { made: Log; turns: (string | null)[] } {
  const entrypoint = isTerminal ? 'cli' : 'sdk-cli'
  const made = log({ version, entrypoint, attachments: false }).user('start')
  const turns: (string | null)[] = [null]
  let text: string | null = null
  let step = 0
  for (const one of actions) {
    step++
    if (one.do === 'prompt') {
      made.assistant(`done ${step}`).user(`go on ${step}`)
      turns.push(text)
    } else if (one.do === 'read') {
      if (text !== null) made.readFile(FILE, text)
    } else if (one.do === 'command') {
      // A checkpoint of the made log knows nothing of commands, so only a session without them has any.
      if (isTerminal || text === null) continue
      text = `# ${step}\n${text}`
      made.tool('Bash', { command: `sed -i '1i # ${step}' src/auth.ts` })
    } else {
      const after: string = text === null || one.do === 'write' ? `new ${step}\nx\n` : changed(text, one, step)
      // The client refuses an edit that changes nothing.
      if (after === text) continue
      if (text === null || one.do === 'write') made.writeFile(FILE, after, text)
      else made.edit(FILE, { before: text, after })
      text = after
    }
  }
  made.assistant('end')
  return { made, turns: [...turns, text] }
}

/** One line replaced, put in or taken away; the lines repeat, so that an edit's text may stand in several places. */
function changed(text: string, { line, kind }: Action, step: number): string {
  const lines = text.slice(0, -1).split('\n')
  const at = line % lines.length
  if (kind === 0 && lines.length > 1) lines.splice(at, 1)
  else if (kind === 1) lines.splice(at, 0, 'x')
  else lines[at] = kind === 2 ? `line ${step}` : `\tx`
  return `${lines.join('\n')}\n`
}

test('a random history is rebuilt at every turn, and what a command did is never passed over in silence', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), client, async (actions, by) => {
      const { made, turns } = play(actions, by)
      if (turns.at(-1) === null) return
      const context = contextOf(made.files())
      for (const [turn, text] of turns.entries()) {
        const found = await ask(context, { at: String(turn) })
        if (found.confidence !== 'doubtful' || by.isTerminal) expect([turn, found.text]).toEqual([turn, text])
      }
    }),
    { numRuns: 60 },
  )
}, 120_000)

test('with pieces missing, what is not sure is said to be so', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 25 }),
      client,
      fc.infiniteStream(fc.boolean()),
      async (actions, by, chance) => {
        const { made, turns } = play(actions, by)
        if (turns.at(-1) === null) return
        const drop = () => chance.next().value === true
        const left = made.files().flatMap((file) => {
          if (file.path.startsWith('file-history/')) return drop() ? [] : [file]
          if (!file.path.endsWith('.jsonl')) return [file]
          const rows = linesOf(file.content).map((row) => (drop() ? { ...row, toolUseResult: undefined } : row))
          return [{ ...file, content: rows.map((row) => `${JSON.stringify(row)}\n`).join('') }]
        })
        const context = contextOf(left)
        for (const [turn, text] of turns.entries()) {
          const found = await ask(context, { at: String(turn) })
          if (found.confidence === 'confirmed' || found.confidence === 'recorded') {
            expect([turn, found.text]).toEqual([turn, text])
          } else expect(found.unknown).not.toEqual([])
        }
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)
