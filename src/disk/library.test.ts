import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { titleOf } from '../core/title.ts'
import { type Log, log, root } from '../testing/index.ts'
import { Library, projectPath } from './library.ts'
import { describeSession } from './session.ts'

let folder: string
let open: Library[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-'))
})
afterEach(() => {
  for (const library of open) library.close()
  open = []
  rmSync(folder, { recursive: true, force: true })
})

function libraryOf(...roots: readonly string[]): Library {
  const library = new Library({ roots: roots.length > 0 ? roots : [folder] })
  open.push(library)
  return library
}

function only(library: Library) {
  const [session, ...more] = library.sessions()
  expect(more).toEqual([])
  return session as NonNullable<typeof session>
}

test('lists sessions, not other logs, and lists again when asked', () => {
  const made = log().user('one').assistant('a')
  made.write(folder)
  const library = libraryOf()
  expect(library.sessions().map((s) => s.id)).toEqual([made.sessionId])
  log({ seed: 'second' }).user('two').write(folder)
  expect(library.sessions()).toHaveLength(1)
  library.refresh()
  expect(library.sessions()).toHaveLength(2)
})

test('a root that is not there, or is a file, is a failure we foresaw', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => libraryOf(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'NO_ROOT' }))
  expect(() => libraryOf(join(folder, 'file'))).toThrow(expect.objectContaining({ code: 'NO_ROOT' }))
})

test('a root without projects is empty', () => expect(libraryOf().projects()).toEqual([]))

test('two roots may hold the same session', () => {
  const made = log().user('one')
  for (const name of ['a', 'b']) {
    mkdirSync(join(folder, name))
    made.write(join(folder, name))
  }
  expect(
    libraryOf(join(folder, 'a'), join(folder, 'b'))
      .sessions()
      .map((s) => s.root),
  ).toEqual([join(folder, 'a'), join(folder, 'b')])
})

describe('the title in a sidecar file', () => {
  const made = log({ version: '2.1.325' }).user('one')
  const path = made
    .files()
    .find((file) => file.path.endsWith('.jsonl'))
    ?.path.replace('.jsonl', '/custom-title.json') as string
  test.each([
    ['{"customTitle":"Mine"}', 'Mine'],
    ['{"customTitle":""}', null],
    ['{"customTitle":7}', null],
    ['', null],
    ['{"customT', null],
    ['[]', null],
  ])('%j', (content, title) => {
    root().add(made).file(path, content).write(folder)
    const library = libraryOf()
    expect(library.sidecarTitle(only(library))).toBe(title)
  })

  test('is null where there is none', () => {
    made.write(folder)
    const library = libraryOf()
    expect(library.sidecarTitle(only(library))).toBeNull()
  })

  test('is what the client writes since 2.1.325', () => {
    log({ version: '2.1.325' }).user('one').title('Named').write(folder)
    const library = libraryOf()
    expect(library.sidecarTitle(only(library))).toBe('Named')
  })
})

describe('a glance at a long log tells what the whole tells', () => {
  const filler = (made: Log, turns = 40) => {
    for (let i = 0; i < turns; i++)
      made
        .user(`ask ${i}`)
        .tool('Bash', { command: 'x' }, { output: 'y'.repeat(2000) })
        .assistant(`answer ${i}`)
    return made
  }
  const picture = 'A'.repeat(1024 * 1024)
  const compare = (made: Log) => {
    made.write(folder)
    const library = libraryOf()
    const { log: entry } = only(library)
    if (!entry) throw new Error('no log')
    expect(entry.sizeBytes).toBeGreaterThan(64 * 1024)
    const told = [library.glance(entry), library.facts(entry)].map((known) => {
      const facts = known?.facts
      return (
        facts && {
          title: titleOf(facts),
          firstAt: facts.firstAt,
          lastAt: facts.lastAt,
          cwd: facts.cwd,
          version: facts.version,
          gitBranch: facts.gitBranch,
          sessionIds: facts.sessionIds,
        }
      )
    })
    expect(told[0]).toEqual(told[1])
  }

  test.each(['1.0.65', '1.0.128', '2.0.37', '2.0.77', '2.1.45', '2.1.112', '2.1.200', '2.1.325'])(
    '%s: its first prompt and its times',
    (version) => compare(filler(log({ version }))),
  )
  test('a title given at the end', () => compare(filler(log()).title('Mine')))
  test('a title given early, which the client writes again', () => compare(filler(filler(log()).title('Mine'), 5)))
  test('commands before the first prompt', () =>
    compare(filler(log().command('model', { output: 'Set.' }).command('cost'))))
  test('many client rows before the first prompt', () => {
    const made = log()
    for (let i = 0; i < 300; i++) made.raw({ type: 'mode', mode: 'normal', sessionId: made.sessionId })
    compare(filler(made))
  })
  test('a large last line', () =>
    compare(
      filler(log())
        .user('last')
        .tool('Read', {}, { output: 'z'.repeat(40_000) }),
    ))

  test.each([70_000, 900_000])('a last line of %i bytes', (size) => {
    compare(
      filler(log({ version: '2.0.77' }))
        .user('last')
        .tool('Read', {}, { output: 'z'.repeat(size) }),
    )
  })
  test('bash mode with a large output before the first prompt', () => {
    compare(filler(log().bash('cat x', 'y'.repeat(70_000))))
  })
  test('a half-written last line', () => {
    compare(filler(log()).bytes('{"type":"progress","data":{"timestamp":"2099-01-01T00:00:00.000Z","cwd":"/half"'))
  })

  test('a half-written last line that ends with an inner row', () => {
    const row = JSON.stringify({ type: 'user', timestamp: '2099-01-01T00:00:00.000Z', message: { content: 'half' } })
    compare(filler(log()).bytes(`{"type":"progress","data":{"message":${row}`))
  })
  test('a last line of more than 1 MiB', () => {
    compare(
      filler(log({ version: '2.0.77' }))
        .user('last')
        .tool('Read', {}, { output: 'z'.repeat(2_000_000) }),
    )
  })
  test('a first prompt with a picture of 1 MiB', () => compare(filler(log().image('See?', picture))))
  test('an attachment stamped before its prompt', () => {
    const made = log().user('one', { fields: { timestamp: '2026-03-02T09:00:01.000Z' } })
    compare(
      filler(made.raw((at) => at.row({ type: 'attachment', uuid: at.uuid(), timestamp: '2026-03-02T08:59:00.000Z' }))),
    )
  })
  test('2.0.77: a title given some turns before the end', () => {
    compare(filler(filler(log({ version: '2.0.77' })).title('Mine'), 2))
  })
  test('a title that stands in neither end of a log is left to a full read', () => {
    filler(filler(log()).aiTitle('Made up')).write(folder)
    const library = libraryOf()
    const { log: entry } = only(library)
    expect(library.glance(entry as never)?.facts.aiTitle).toBeNull()
    expect(library.facts(entry as never)?.facts.aiTitle?.text).toBe('Made up')
  })
})

test('a small log is read whole at a glance', () => {
  log().user('one').assistant('a').write(folder)
  const library = libraryOf()
  expect(library.glance(only(library).log as never)?.totals?.lines).toBeGreaterThan(1)
})

describe('a session as its log describes it', () => {
  const described = (made: Log) => {
    made.write(folder)
    const library = libraryOf()
    const session = library.sessions().find((s) => s.id === made.sessionId) as NonNullable<ReturnType<typeof only>>
    return describeSession(session, library.facts(session.log as never) as never, {
      sidecarTitle: library.sidecarTitle(session),
    })
  }

  test('has its kind, title, counts, branches and models', () => {
    const made = log({ attachments: false })
      .user('one')
      .assistant('a', { model: 'm1' })
      .rewind({ to: 1 })
      .user('two')
      .assistant('b', { model: 'm2' })
    const facts = described(made.compact().user('three').assistant('c', { model: 'm1' }))
    expect(facts).toMatchObject({ kind: 'conversation', title: 'one', titleFrom: 'prompt' })
    expect(facts.whole).toMatchObject({
      branches: 2,
      compactions: 1,
      models: ['m1', 'm2'],
      counts: { prompts: 3, turns: 3 },
      parentElsewhere: null,
    })
  })

  test('1.0.128: a continued one says that its parent is elsewhere', () => {
    const first = log({ version: '1.0.128' }).user('one').assistant('a')
    const last = first.rows().findLast((row) => typeof row.uuid === 'string')?.uuid
    expect(described(first.continued().user('two').assistant('b')).whole?.parentElsewhere).toBe(last)
  })

  test('an empty one has the time of its file', () => {
    mkdirSync(join(folder, 'projects/-p'), { recursive: true })
    writeFileSync(join(folder, 'projects/-p/s.jsonl'), '')
    const library = libraryOf()
    const session = only(library)
    const facts = describeSession(session, library.facts(session.log as never) as never)
    expect(facts).toMatchObject({
      kind: 'empty',
      title: null,
      titleFrom: 'none',
      createdAt: null,
      whole: { branches: 0, lines: 0 },
    })
    expect(Date.parse(facts.updatedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })
})

test.each([
  ['-home-ana-api', ['/home/ana/other', '/home/ana/api'], '/home/ana/api'],
  ['-home-ana-api', [null, '/home/ana/x', '/home/ana/y'], '/home/ana/x'],
  ['-home-ana-api', [null], null],
  ['-home-ana-api', [], null],
])('the path of project %s among %j', (key, cwds, path) => expect(projectPath(key, cwds)).toBe(path))
