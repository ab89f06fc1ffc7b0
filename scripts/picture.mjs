// Draws what annals shows on a terminal as pictures for the README and the docs: node scripts/picture.mjs
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import xterm from '@xterm/headless'
import { svgOf } from './terminal-svg.mjs'

const cli = resolve('dist/cli.cjs')
const { writeDemoRoot } = await import('../dist/testing.mjs')
const place = mkdtempSync(join(tmpdir(), 'annals-picture-'))
const demo = join(place, 'root')
// The state and settings of the one who draws must not be in the picture.
const env = { PATH: process.env.PATH, TERM: 'xterm-256color', TZ: 'UTC', LANG: 'C.UTF-8', SHELL: '/bin/sh' }
Object.assign(env, { HOME: place, ANNALS_HOME: join(place, 'state'), PAGER: 'cat', FORCE_COLOR: '1' })

try {
  writeDemoRoot(demo, new Date())
  await draw(
    'docs/terminal.svg',
    'annals on a terminal',
    { columns: 92, rows: 200 },
    commandsShown('sessions --limit 6', 'show "Fix token refresh race"'),
  )
  await draw(
    'docs/cost.svg',
    'what it cost',
    { columns: 92, rows: 200 },
    commandsShown('usage', 'receipt "Fix token refresh race"'),
  )
  // Once before, so that the index is there and the picture is the one that people see from their second time on.
  await run({ columns: 80, rows: 24 }, `'${process.execPath}' '${cli}' index --root '${demo}'`, {}, () => {})
  await draw('docs/picker.svg', 'the picker of annals', { columns: 92, rows: 24 }, pickerShown())
} finally {
  rmSync(place, { recursive: true, force: true })
}

/** Commands as one would type them, and what they print. */
function commandsShown(...commands) {
  const lines = commands.map((command) => {
    const told = `printf '\\033[32m$\\033[0m annals %s\\n' '${command}'`
    return `${told}; '${process.execPath}' '${cli}' ${command} --root '${demo}' --no-pager --no-index 2>&1; echo`
  })
  return { command: lines.join('; ') }
}

/** The picker after some words were typed and all of it is there. */
function pickerShown() {
  const isDone = (text) => /\d sessions · \d+ hits/.test(text) && /turn \d/.test(text)
  const command = `exec '${process.execPath}' '${cli}' --root '${demo}'`
  return { command, keys: 'token', isReady: (text) => /\d sessions · /.test(text), isDone }
}

async function draw(file, title, size, { command, ...typing }) {
  writeFileSync(file, await run(size, command, typing, (terminal) => svgOf(terminal, title)))
  console.log(file)
}

/** Runs a command in a terminal and looks at it: when it has ended, or has shown what is awaited of what is typed. */
async function run({ columns, rows }, command, { keys, isReady, isDone }, look) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const start = `stty rows ${rows} cols ${columns}; ${command}`
  const child = spawn('script', ['-qec', start, '/dev/null'], { env, cwd: place })
  const ended = once(child, 'close')
  child.stdout.setEncoding('utf8').on('data', (text) => terminal.write(text))
  if (keys === undefined) await ended
  else {
    await shows(terminal, isReady)
    child.stdin.write(keys)
    await shows(terminal, isDone)
  }
  await settled(terminal)
  const seen = look(terminal)
  child.kill()
  await ended
  return seen
}

async function shows(terminal, isThere) {
  for (let tries = 0; tries < 1500; tries++) {
    await settled(terminal)
    const { active } = terminal.buffer
    const lines = Array.from({ length: terminal.rows }, (_, y) => active.getLine(y)?.translateToString(true) ?? '')
    if (isThere(lines.join('\n'))) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('The terminal never showed what the picture is of.')
}

function settled(terminal) {
  return new Promise((resolve) => terminal.write('', resolve))
}
