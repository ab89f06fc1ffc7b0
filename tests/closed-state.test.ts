import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, closeSync, cpSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAll, opLoaders, serviceLoaders } from '../src/ops/index.ts'
import { log, root as newRoot } from '../src/testing/index.ts'
import { type Ran, temporaryFolder } from './cli/annals.ts'

const ops = await loadAll(opLoaders)
const services = await loadAll(serviceLoaders)

/** Someone who is not root: root may write where permission bits say no. */
const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
const root = join(folder.path, 'root')
const good = join(folder.path, 'good')
const SESSION = 'aaaaaaaa-0000-4000-8000-000000000001'
const SENT = join(root, `projects/-home-ana-one/${SESSION}.jsonl`)
let outs = 0

beforeAll(async () => {
  newRoot()
    .add(
      log({ cwd: '/home/ana/one', seed: 'one', sessionId: SESSION })
        .user('first thing')
        .tool('Bash', { command: 'ls' }, { output: `token ghp_${'aB3dE5fG7hJ9'.repeat(3)}` })
        .assistant('done'),
      log({ cwd: '/home/ana/two', seed: 'two', sessionId: 'aaaaaaaa-0000-4000-8000-000000000002' })
        .user('second thing')
        .assistant('done'),
    )
    .write(root)
  mkdirSync(good)
  chmodSync(folder.path, 0o755)
  spawnSync('chmod', ['-R', 'a+rX', root])
  // A state that knows something: what is closed later was open before.
  for (const args of [['index'], ['keep'], ['redact', 'scan'], ['usage'], ['collect', '--to', toFolder()]])
    expect((await run(good, args)).stderr).not.toMatch(/cannot|ANNALS_HOME|\n\s+at /)
})
afterAll(() => {
  for (const path of mounted) spawnSync('umount', [path])
  folder.remove()
})

const mounted: string[] = []
const toFolder = () => `folder:${join(outFolder(), 'collected')}`

/** A folder that whoever runs the command may write. */
function outFolder(): string {
  const path = join(folder.path, `out-${outs++}`)
  mkdirSync(path)
  chmodSync(path, 0o777)
  return path
}

/** Runs a command, as nobody where we are root; what does not end by itself is stopped when it has said something. */
function run(home: string, args: readonly string[]): Promise<Ran> {
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: home, TZ: 'UTC' }
  const who = isRoot && home !== good ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn(process.execPath, [cli, ...args, '--root', root], { env, cwd: folder.path, ...who })
  const said = { stdout: '', stderr: '' }
  const isService = Object.hasOwn(services, args[0] ?? '')
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
      if (isService && name === 'stdout' && text.includes('http')) child.kill('SIGTERM')
    })
  }
  child.stdin.end()
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })))
}

/** Arguments with which each command has something to do; a new command is run without. */
const ARGUMENTS: Readonly<Record<string, readonly (() => readonly string[])[]>> = {
  search: [() => ['first'], () => ['first', '--exact']],
  show: [() => ['last']],
  outline: [() => ['last']],
  timeline: [() => ['last']],
  read: [() => ['last']],
  find: [() => ['last', 'thing']],
  context: [() => ['last']],
  tree: [() => ['last']],
  tail: [() => ['last']],
  record: [() => ['last', '1']],
  receipt: [() => ['last']],
  resume: [() => ['last', '--print']],
  path: [() => ['/home/ana/one']],
  files: [() => []],
  redact: [() => ['scan']],
  keep: [() => [], () => ['--auto', '--print']],
  archive: [() => [], () => ['verify'], () => ['verify', '--repair'], () => ['restore', SESSION, '--to', outFolder()]],
  export: [
    () => ['last', '--to', 'md', '--out', join(outFolder(), 'x.md')],
    () => ['--all', '--to', 'parquet', '--out', `${outFolder()}/`],
    () => ['last', '--to', 'bundle', '--out', join(outFolder(), 'x.annals.gz')],
  ],
  import: [() => [SENT], () => [SENT, '--to', outFolder()]],
  purge: [() => [SESSION, '--yes']],
  blame: [() => ['/home/ana/one/a.ts']],
  attribution: [() => [outFolder()]],
  edit: [() => ['tag', SESSION, 'x', '--force', '--yes']],
  rename: [() => [SESSION, 'Another', '--dry-run']],
  tag: [() => [SESSION, 'auth', '--dry-run']],
  move: [() => [SESSION, '--to', outFolder(), '--dry-run']],
  undo: [() => ['--list']],
  star: [() => [SESSION]],
  note: [() => [SESSION, 'for later']],
  index: [() => [], () => ['--rebuild']],
  collect: [() => ['--to', toFolder(), '--dry-run'], () => ['--to', toFolder()], () => ['status', '--to', toFolder()]],
  serve: [() => ['--no-open', '--port', '0']],
  receive: [() => ['--to', toFolder(), '--port', '0']],
}

const table = [...Object.values(ops), ...Object.values(services)].flatMap(({ name }) =>
  (ARGUMENTS[name] ?? [() => []]).map((more) => () => [name, ...more()]),
)

/** What needs a place to keep something: without one it says so, and does nothing. */
const KEEPS = new Set([
  ...['keep', 'archive', 'import', 'purge', 'collect', 'team', 'receive'],
  ...['edit', 'rename', 'tag', 'move', 'undo', 'star', 'note'],
])
/** What hides or leaves out as the person has set: where the settings cannot be read, nothing may be shown. */
const NEEDS_SETTINGS = new Set(['export', 'redact', 'collect', 'import'])

/** A folder that cannot be used as it should; words say why it cannot be had here. */
interface State {
  readonly make: () => string | { readonly not: string }
  readonly isUnreadable?: true
  /** The key of placeholders is there and can be read. */
  readonly hasKey?: true
  /** Only these commands, where the others find nothing that they do not find in another state. */
  readonly only?: ReadonlySet<string>
}

const WRITERS = new Set(['export', 'redact', 'collect', 'import', 'search', 'index', 'usage'])

const STATES: Readonly<Record<string, State>> = {
  'read-only': {
    make: () => {
      const path = join(folder.path, 'kept')
      cpSync(good, path, { recursive: true })
      spawnSync('chmod', ['-R', 'a-w', path])
      if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, path])
      return path
    },
    hasKey: true,
  },
  'read-only, and empty': {
    make: () => {
      const path = closed('empty', 0o500)
      if (isRoot) chownSync(path, NOBODY, NOBODY)
      return path
    },
    only: WRITERS,
  },
  'on a full disk': { make: () => fullDisk('filled', true), hasKey: true },
  'on a full disk, and empty': { make: () => fullDisk('full', false), only: WRITERS },
  'below a folder that nobody can make': { make: () => '/proc/annals/none' },
  "somebody else's": { make: () => (isRoot ? closed('foreign', 0o700) : NOT_FOREIGN), isUnreadable: true },
  "somebody else's, who lets others look": {
    make: () => (isRoot ? closed('shown', 0o755) : NOT_FOREIGN),
    only: WRITERS,
  },
  'a file': {
    make: () => {
      const path = join(folder.path, 'file')
      writeFileSync(path, 'a file\n')
      return path
    },
  },
}

const NOT_FOREIGN = { not: 'only root can make a folder that belongs to another' }

function closed(name: string, mode: number): string {
  const path = join(folder.path, name)
  mkdirSync(path)
  chmodSync(path, mode)
  return path
}

function fullDisk(name: string, isUsed: boolean): string | { readonly not: string } {
  const path = join(folder.path, name)
  mkdirSync(path)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'annals-test', path]).status !== 0)
    return { not: 'a small disk cannot be mounted here' }
  mounted.push(path)
  const home = join(path, 'home')
  if (isUsed) cpSync(good, home, { recursive: true })
  else mkdirSync(home)
  if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home])
  const fd = openSync(join(path, 'filler'), 'w')
  try {
    for (;;) writeSync(fd, Buffer.alloc(4096))
  } catch {
    closeSync(fd)
  }
  return home
}

describe.concurrent('every command answers, or says in a sentence why not, where the folder of annals is', () => {
  for (const [name, state] of Object.entries(STATES)) {
    test(name, { timeout: 600_000 }, async () => {
      const home = state.make()
      if (typeof home !== 'string') {
        console.log(`${name}: not tried, ${home.not}.`)
        return
      }
      const wrong: string[] = []
      for (const args of table.map((one) => one())) {
        if (state.only && !state.only.has(args[0] ?? '')) continue
        const { code, stderr } = await run(home, args)
        const flaw = flawOf(args, code, stderr, state)
        if (flaw !== '') wrong.push(`${args.join(' ')} → ${code}: ${flaw}\n${stderr.slice(0, 600)}`)
      }
      expect(wrong.join('\n')).toBe('')
    })
  }
})

function flawOf(args: readonly string[], code: number | null, stderr: string, { isUnreadable, hasKey }: State): string {
  const [name = ''] = args
  if (/\n\s+at |This is a bug|undefined|\[object/.test(stderr)) return 'a stack'
  if (code === null || code > 2) return 'no exit code of ours'
  // An edit looks for what a killed one left, also where it is only planned.
  const isPlan = args.includes('--dry-run') && !['rename', 'tag', 'move'].includes(name)
  const isLook = isPlan || (name === 'import' && args.includes('--to'))
  const mayFail = (KEEPS.has(name) && !isLook) || (isUnreadable && NEEDS_SETTINGS.has(name))
  if (code === 2 && !mayFail) return 'it could have worked'
  // What was noticed on the way, by file, may stand before the sentence.
  if (code === 2 && !/^(?:\/[^\n]+: [^\n]+\n)*[^\n]+[.?]\n( {2}[^\n]+\n)?$/.test(stderr)) return 'not one sentence'
  // Whoever is shown placeholders hears that they hold for this run only, unless the key could be read.
  const isMasked = ['redact', 'export'].includes(name) || (name === 'collect' && args.includes('--dry-run'))
  const isTold = /redaction\.key: .* for this run/.test(stderr)
  if (code < 2 && isMasked && isTold === (hasKey ?? false)) return 'no word of the key, or one too many'
  return ''
}
