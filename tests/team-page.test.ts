import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cluster, findPostgres } from '../src/collector/sinks/postgres/cluster.ts'
import { log, root } from '../src/testing/index.ts'
import { temporaryFolder } from './cli/annals.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const page = readFileSync(join(import.meta.dirname, '../docs/team.md'), 'utf8')
const secret = () => randomBytes(12).toString('hex')
const PASSWORD = secret()
const HASH_KEY = secret()
/** Who is logged in here: what a machine calls its person. */
const PERSON = userInfo().username

/** The blocks of a step of the page, each with its language. */
function stepOf(number: number): readonly { readonly language: string; readonly text: string }[] {
  const steps = page.slice(page.indexOf('## Rolling it out'), page.indexOf('## Tables')).split(/^(?=\d\. \*\*)/m)
  const step = steps.find((one) => one.startsWith(`${number}. `)) ?? ''
  return [...step.matchAll(/^ {3}```(\w*)\n([\s\S]*?)^ {3}```/gm)].map(([, language = '', text = '']) => {
    return { language, text: text.replaceAll(/^ {3}/gm, '') }
  })
}

describe.skipIf(!hasPostgres)(`docs/team.md, step by step${withoutPostgres}`, () => {
  const folder = temporaryFolder()
  let cluster: Cluster

  beforeAll(() => {
    if (!existsSync(cli)) throw new Error('dist/cli.cjs is missing: run `npm test`, or `npm run build` first.')
    cluster = testCluster()
    cluster.psql('create role owner login createdb createrole')
    // As a real server would: whoever is not its owner shows a password.
    const rules = ['postgres', 'owner'].map((name) => `local all ${name} trust`)
    writeFileSync(join(cluster.folder, 'data', 'pg_hba.conf'), `${rules.join('\n')}\nlocal all all scram-sha-256\n`)
    cluster.psql('select pg_reload_conf()')
  })
  afterAll(() => {
    cluster?.remove()
    folder.remove()
  })

  /** The page with this cluster in the place of its example, and secrets in the place of its dots. */
  const here = (text: string) =>
    text
      .replaceAll('@db.example.com/annals', `@localhost/annals?host=${encodeURIComponent(cluster.folder)}`)
      .replaceAll('db.example.com:5432', 'localhost:5432')
      .replaceAll('"hashKey": "…"', `"hashKey": "${HASH_KEY}"`)
      .replaceAll('…', PASSWORD)
  const homeOf = (name: string) => {
    const home = join(folder.path, name)
    mkdirSync(join(home, '.config', 'annals'), { recursive: true })
    return home
  }
  const envOf = (home: string, more: Readonly<Record<string, string>> = {}) => ({
    PATH: `${findPostgres(process.env.PATH ?? '')}:${process.env.PATH}`,
    HOME: home,
    TZ: 'UTC',
    ...more,
  })

  /** Runs a block as somebody at their machine would; a command that fails ends it. */
  function run(name: string, block: { readonly language: string; readonly text: string }, more = {}): string {
    const home = homeOf(name)
    const text = here(block.text)
    if (block.language === 'json') {
      writeFileSync(join(home, '.config', 'annals', 'collect.json'), text)
      return ''
    }
    const script =
      block.language === 'sql'
        ? `psql -X -q -v ON_ERROR_STOP=1 -h "$PGHOST" -U owner -d annals <<'SQL'\n${text}\nSQL\n`
        : `annals() { '${process.execPath}' '${cli}' "$@"; }\n${text}`
    const ran = spawnSync('sh', ['-e'], {
      input: script,
      encoding: 'utf8',
      cwd: home,
      env: envOf(home, { PGHOST: cluster.folder, PGUSER: 'owner', ...more }),
    })
    // Piped, what is said about the data stands on stderr; a warning or a failure names what is wrong.
    expect({ block: block.text, status: ran.status }).toEqual({ block: block.text, status: 0 })
    expect(ran.stderr).not.toMatch(/cannot|could not|denied|ERROR|bug in annals/)
    return ran.stdout
  }

  function writeHistory(name: string): string {
    const home = homeOf(name)
    const session = log({ seed: `page ${name}`, cwd: join(home, 'shop') })
      .user('Why twice?')
      .assistant('Both edges.')
    root().add(session).write(join(home, '.claude'))
    const project = join(home, '.claude', 'projects')
    const below = join(project, readdirSync(project)[0] as string)
    return join(below, readdirSync(below).find((one) => one.endsWith('.jsonl')) as string)
  }
  const sql = (text: string) => cluster.psql(text, 'annals').trim()
  const forBen = ({ language, text }: { language: string; text: string }) => ({
    language,
    text: text.replaceAll('ana_', 'ben_'),
  })

  test('step 1 shows a team for a moment: who used what, and a project that all of them work on', () => {
    const said = run('visitor', { language: '', text: 'annals collect --demo' })
    const [people = '', projects = ''] = said.split('Usage by project')
    for (const name of ['ana', 'ben', 'lena']) expect(people).toMatch(new RegExp(`^\\d{4}-\\d\\d +${name} +\\d`, 'm'))
    // Each of the three has two responses there; what each has alone is told together.
    expect(projects).toMatch(/\/home\/team\/shop +3 +6 /)
    expect(projects).toMatch(/\(groups too small to show\) +3 /)
    expect(projects).not.toContain('notes')
  })

  test('steps 2 and 3 make a store and logins', () => {
    for (const block of stepOf(2)) run('owner', block)
    for (const block of stepOf(3)) run('owner', block)
    expect(sql(`select rolname from pg_roles where rolcanlogin order by 1`).split('\n')).toEqual([
      'ana_box',
      'ana_login',
      'boss',
      'lena',
      'owner',
      'postgres',
    ])
  })

  test('step 4 collects, and the service that it installs finds the password by itself', async () => {
    const path = writeHistory('ana')
    const blocks = stepOf(4)
    expect(blocks.map(({ language }) => language)).toEqual(['', 'json', ''])
    for (const block of blocks) run('ana', block)
    const count = () => Number(sql('select count(*) from annals.record'))
    const before = count()
    expect(before).toBeGreaterThan(1)
    const unit = readFileSync(join(homeOf('ana'), '.config/systemd/user/annals-collect.service'), 'utf8')
    expect(unit).not.toContain(PASSWORD)
    const words = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '')
      .split(' ')
      .map((word) => word.replace(/^"(.*)"$/, '$1').replaceAll('%%', '%'))
    const set = [...unit.matchAll(/^Environment="?([^="]+)=([^"\n]*)"?$/gm)].map(([, name, value]) => [name, value])
    const child = spawn(words[0] as string, words.slice(1), {
      env: envOf(homeOf('ana'), Object.fromEntries(set)),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    try {
      appendFileSync(path, `${JSON.stringify({ type: 'summary', summary: 'Edges', leafUuid: 'x' })}\n`)
      for (let waited = 0; count() === before && waited < 30_000; waited += 200) await sleep(200)
      expect(count()).toBe(before + 1)
    } finally {
      await stopped(child)
    }
  }, 60_000)

  test('six people on one project are one project, not six', () => {
    writeHistory('ben')
    run('owner', {
      language: 'sql',
      text: forBen(stepOf(3)[0] as { language: string; text: string }).text.split('\n')[0] as string,
    })
    // Both of them are logged in here under one name, so an administrator has to say that they are one.
    writeFileSync(join(homeOf('boss'), '.pgpass'), `localhost:5432:annals:boss:${PASSWORD}\n`, { mode: 0o600 })
    const store = { ANNALS_STORE: here('postgres://boss@db.example.com/annals') }
    run('boss', { language: '', text: `annals team collector ben_box ${PERSON}` }, store)
    for (const block of stepOf(4)) run('ben', forBen(block))
    expect(
      sql('select count(distinct machine), count(distinct project) from annals.session where project <> $$$$'),
    ).toBe('2|1')
    expect(sql('select string_agg(distinct project, $$ $$) from annals.session')).not.toContain('shop')
  })

  test('steps 5 and 6 say who sees what, and they see it', () => {
    run('boss', { language: 'json', text: `{ "hashKey": "${HASH_KEY}" }` })
    for (const { language, text } of stepOf(5))
      run('boss', { language, text: text.replace('member ana ', `member ${PERSON} `) })
    expect(sql('select team, role from annals.person')).toBe('platform|ana_login')
    writeFileSync(join(homeOf('lena'), '.pgpass'), `localhost:5432:annals:lena:${PASSWORD}\n`, { mode: 0o600 })
    const [block] = stepOf(6)
    const lines = (block?.text ?? '').split('\n').filter(Boolean)
    expect(lines.length).toBe(3)
    const said = lines.map((text) => run('lena', { language: '', text }))
    expect(JSON.parse(run('lena', { language: '', text: `${lines[0]} --json --all` })).items).toHaveLength(2)
    // Of two people, the views tell nothing.
    expect(said[2]).toMatch(/too few people/)
  })

  test('a credential of systemd, or a secret of a container, is found by its name', () => {
    const [dropIn = ''] = blocksIn('The service on many machines', 'ini')
    const [, name = ''] = /^LoadCredential=(\w+):/m.exec(dropIn) ?? []
    const [dockerfile = ''] = blocksIn('The service on many machines', 'dockerfile')
    expect(name).toBe('PGPASSWORD')
    expect(dockerfile).toMatch(/CREDENTIALS_DIRECTORY=\/run\/secrets/)
    const credentials = join(folder.path, 'credentials')
    mkdirSync(credentials, { recursive: true })
    writeFileSync(join(credentials, name), `${PASSWORD}\n`, { mode: 0o400 })
    const home = homeOf('dora')
    const team = () =>
      spawnSync(process.execPath, [cli, 'team', '--store', here('postgres://boss@db.example.com/annals')], {
        encoding: 'utf8',
        env: envOf(home, { CREDENTIALS_DIRECTORY: credentials }),
      })
    expect(team()).toMatchObject({ status: 0 })
    writeFileSync(join(credentials, name), 'another\n', { mode: 0o600 })
    expect(team().stderr).toMatch(/refused the password/)
  })

  test('a pooler is set up as the page says', () => {
    const [roles = ''] = blocksIn('A pooler', 'sql')
    run('owner', { language: 'sql', text: `create role web_reader nologin in role annals_reader;\n${roles}` })
    expect(
      sql(`select rolinherit, pg_has_role('annals_web', 'lena', 'member') from pg_roles where rolname = 'annals_web'`),
    ).toBe('f|t')
  })

  test('a password that only this shell has is not left to a service that would not have it', () => {
    const home = homeOf('ana')
    const to = here('postgres://cem_box@db.example.com/annals')
    const ask = (more: Readonly<Record<string, string>>) =>
      spawnSync(process.execPath, [cli, 'collect', 'install', '--print', '--to', to], {
        encoding: 'utf8',
        env: envOf(home, more),
      })
    const { status, stderr } = ask({ PGPASSWORD: PASSWORD })
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /The service would not have password: .*\n.*localhost:5432:annals:cem_box:PASSWORD into ~\/\.pgpass/,
    )
    expect(stderr).not.toContain(PASSWORD)
    expect(ask({}).status).toBe(0)
  })
})

/** The blocks of a language in a section of the page. */
function blocksIn(section: string, language: string): readonly string[] {
  const from = page.indexOf(`## ${section}`)
  const text = page.slice(from, page.indexOf('\n## ', from + 3))
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)
}

async function stopped(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
