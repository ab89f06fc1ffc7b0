// Measures the web app in a real Chromium: `node scripts/bench/web.mjs DIST DIR` writes a root of 2,000 sessions in 300 MB,
// one of them 50 MB long, below DIR, indexes it, and prints the figures as JSON. What a page takes is told beside what an
// empty page of the same server takes in the same run.
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'
const SESSIONS = 2_000
const LONG_BYTES = 50e6
const LONG = '99999999-0000-4000-8000-000000000000'
const ROUNDS = 5
const PATIENT = { timeout: 120_000 }
const PROMPTS = 2_500
/** So often each page of many prompts is opened; odd, for a median. */
const OPENINGS = 3
/** A mark in a trace, by which the page is told from what else the browser draws. */
const OWN = 'annals-page'
const MANY = '88888888-0000-4000-8000-000000000000'
/** Each of the other sessions runs tests so often, and gets so many lines. */
const RUNS = 5
const RUN_LINES = 235
/** As long as the threads of the server need to come to rest. */
const REST_MS = 20_000

const [dist, dir] = process.argv.slice(2)
if (!existsSync(CHROMIUM)) {
  console.log(JSON.stringify({ missing: 'chromium is not installed' }))
  process.exit()
}
const { log } = await import(pathToFileURL(join(dist, 'testing.mjs')).href)
const root = join(dir, 'web')
const long = join(root, 'projects', '-home-ana-work-long', `${LONG}.jsonl`)
const rows = writeRoot()
const env = { PATH: process.env.PATH, HOME: '/nonexistent', ANNALS_HOME: join(dir, 'web-state'), TZ: 'UTC' }
const cli = join(dist, 'cli.cjs')
spawnSync(process.execPath, [cli, 'index', '--root', root, '--json'], { env })

const server = spawn(process.execPath, [cli, 'serve', '--root', root, '--no-open', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const { url } = JSON.parse(await new Promise((done) => server.stdout.once('data', (data) => done(String(data)))))
const { origin } = new URL(url)
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
})
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(PATIENT.timeout)
  await (await context.newPage()).goto(url)
  const empty = await paints(context, '/nowhere', 'h1')
  const home = await paints(context, '/', 'a[href^="/s/"]')
  const session = await paints(context, `/s/${LONG}`, 'article')
  const search = await searching(context)
  const read = await reading(context)
  const prompts = await opening(context)
  const peakBytes = memoryOf(server.pid, 'VmHWM')
  await new Promise((done) => setTimeout(done, REST_MS))
  const bytes = { logBytes: sizeOf(root), peakBytes, serverBytes: memoryOf(server.pid, 'VmRSS') }
  console.log(JSON.stringify({ sessions: SESSIONS, rows, empty, home, session, prompts, ...search, ...read, ...bytes }))
} finally {
  await browser.close()
  server.kill('SIGTERM')
}

/** Milliseconds from the start of the navigation to the first element of a kind, and to the browser's first paint. */
async function paints(context, path, selector) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const page = await context.newPage()
    await page.addInitScript((wanted) => {
      const look = () => {
        if (document.querySelector(wanted)) requestAnimationFrame(() => (window.seenAt = performance.now()))
        else requestAnimationFrame(look)
      }
      look()
    }, selector)
    await page.goto(origin + path, PATIENT)
    await page.waitForFunction(() => window.seenAt !== undefined, undefined, PATIENT)
    times.push(await page.evaluate(() => window.seenAt))
    await page.close()
  }
  return Math.round(Math.min(...times))
}

/** Milliseconds from the last key to the first hit, and to the same mark put into an empty page. */
async function searching(context) {
  const page = await context.newPage()
  await page.goto(`${origin}/search`)
  await page.getByLabel('Search everything').waitFor()
  const times = []
  for (const word of ['queue', 'writer', 'mended', 'takes', 'next']) {
    const field = page.getByLabel('Search everything')
    await field.fill('')
    await page.waitForTimeout(500)
    await page.evaluate(watchFor, 'main mark')
    await field.pressSequentially(word, { delay: 30 })
    await page.waitForFunction(() => window.foundAt !== undefined, undefined, PATIENT)
    times.push(await page.evaluate(() => window.foundAt - window.typedAt))
  }
  await page.goto(`${origin}/nowhere`)
  await page.evaluate(watchFor, 'mark')
  await page.evaluate(() => {
    window.typedAt = performance.now()
    document.body.append(document.createElement('mark'))
  })
  await page.waitForFunction(() => window.foundAt !== undefined)
  const emptyMs = await page.evaluate(() => window.foundAt - window.typedAt)
  await page.close()
  return { searchMs: Math.round(Math.min(...times)), searchEmptyMs: Math.round(emptyMs) }
}

/** In the page: notes when the last key came, and when something is there to be seen after it. */
function watchFor(selector) {
  window.foundAt = undefined
  document.addEventListener('input', () => {
    window.typedAt = performance.now()
    window.foundAt = undefined
  })
  const look = () => {
    if (window.typedAt !== undefined && window.foundAt === undefined && document.querySelector(selector))
      window.foundAt = performance.now()
    requestAnimationFrame(look)
  }
  look()
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .reduce((sum, one) => sum + statSync(join(one.parentPath ?? one.path, one.name)).size, 0)
}

/** The memory that a process has now (`VmRSS`) or had at most (`VmHWM`), where the system tells. */
function memoryOf(pid, which) {
  try {
    const kilobytes = new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    return null
  }
}

/** Scrolls through the long session, then waits for what is appended to it. */
async function reading(context) {
  const page = await context.newPage()
  await page.goto(`${origin}/s/${LONG}`, PATIENT)
  await page.locator('article').first().waitFor()
  await page.waitForTimeout(2_000)
  const scrolled = await page.evaluate(async () => {
    const tasks = []
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)))
    observer.observe({ entryTypes: ['longtask'] })
    const isScroller = (one) => one.scrollHeight > one.clientHeight + 2_000 && one.querySelector('article')
    const scroller = [...document.querySelectorAll('*')].filter(isScroller).at(-1)
    const step = scroller.scrollHeight / 300
    for (let at = 0; at < scroller.scrollHeight; at += step) {
      scroller.scrollTop = at
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    }
    observer.disconnect()
    return { longest: Math.max(0, ...tasks), long: tasks.filter((one) => one > 100).length }
  })
  const heapBytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? null)
  await page.goto(`${origin}/s/${LONG}`, PATIENT)
  await page.locator('article').first().waitFor()
  await page.keyboard.press('G')
  await page.waitForTimeout(2_000)
  const lags = []
  for (let round = 0; round < ROUNDS; round++) {
    const word = `appended-${round}`
    const seen = page.getByText(word).first().waitFor(PATIENT)
    const at = performance.now()
    appendFileSync(long, line(rows + round, `${word} ${'x'.repeat(40)}`))
    await seen
    lags.push(performance.now() - at)
    await page.waitForTimeout(500)
  }
  lags.sort((a, b) => a - b)
  await page.goto(`${origin}/nowhere`)
  const bare = await Promise.all(lags.map((_, round) => appearing(page, `bare-${round}`)))
  bare.sort((a, b) => a - b)
  return {
    liveEmptyMs: Math.round(bare[2]),
    longestTaskMs: Math.round(scrolled.longest),
    longTasks: scrolled.long,
    heapBytes,
    liveMs: Math.round(lags[2]),
  }
}

/**
 * The longest task of each page of a session with many prompts, from its opening to its end, by the clock and by the
 * processor: the medians of some rounds.
 */
async function opening(context) {
  const tasks = {}
  for (const name of ['conversation', 'tree', 'timeline', 'context']) {
    const rounds = []
    for (let round = 0; round < OPENINGS; round++) rounds.push(await longestTask(context, name))
    const median = (key) => Math.round(rounds.map((one) => one[key]).sort((a, b) => a - b)[(OPENINGS - 1) / 2])
    tasks[name] = { wallMs: median('wallMs'), processorMs: median('processorMs') }
  }
  return tasks
}

async function longestTask(context, name) {
  const page = await context.newPage()
  await page.addInitScript(() => {
    window.tasks = [0]
    const note = (list) => window.tasks.push(...list.getEntries().map((entry) => entry.duration))
    new PerformanceObserver(note).observe({ entryTypes: ['longtask'] })
  })
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] })
  await page.goto(`${origin}/s/${MANY}${name === 'conversation' ? '' : `/${name}`}`, PATIENT)
  await page
    .getByText('part 0')
    .first()
    .waitFor({ ...PATIENT, state: 'attached' })
  await page.waitForTimeout(1_500)
  await page.mouse.move(640, 500)
  for (let at = 0; at < 40; at++) {
    await page.mouse.wheel(0, 2_000)
    await page.waitForTimeout(30)
  }
  const wallMs = await page.evaluate((own) => {
    performance.mark(own)
    return Math.max(...window.tasks)
  }, OWN)
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()))
  await page.close()
  return { wallMs, processorMs: longestOf(traceEvents) }
}

/** The processor time of the longest task on the thread that draws the page, in milliseconds. */
function longestOf(events) {
  const { pid, tid } = events.find(({ name }) => name === OWN)
  const tasks = events.filter((one) => one.pid === pid && one.tid === tid && one.tdur > 0)
  return Math.max(...tasks.map(({ tdur }) => tdur)) / 1_000
}

/** Milliseconds until a text that is put into an empty page is seen, by the same way of looking. */
async function appearing(page, word) {
  const seen = page.getByText(word).first().waitFor(PATIENT)
  const at = performance.now()
  await page.evaluate((text) => document.body.append(text), word)
  await seen
  return performance.now() - at
}

function writeRoot() {
  for (let number = 0; number < SESSIONS - 2; number++) {
    const made = log({
      seed: `web ${number}`,
      cwd: `/home/ana/work/project-${number % 20}`,
      startedAt: new Date(Date.parse('2026-01-05T08:00:00.000Z') + number * 3_600_000).toISOString(),
    })
    made.user(`Mend part ${number} of the queue`).assistant('Mended.')
    for (let run = 0; run < RUNS; run++) made.tool('Bash', { command: 'npm test' }, { output: output(number, run) })
    made.write(root)
  }
  const many = log({ sessionId: MANY, seed: 'prompts', cwd: '/home/ana/work/many' })
  for (let at = 0; at < PROMPTS; at++) many.user(`Mend part ${at}`).assistant(`Mended part ${at}.`)
  many.write(root)
  mkdirSync(join(long, '..'), { recursive: true })
  const lines = []
  let written = 0
  for (let row = 0; written < LONG_BYTES; row++) {
    lines.push(line(row, `row ${row} ${'The writer takes the next row of the queue. '.repeat(14)}`))
    written += lines.at(-1).length
  }
  writeFileSync(long, lines.join(''))
  // Logs are rarely as young as these; what was written a moment ago is looked at more closely.
  const hourAgo = new Date(Date.now() - 3_600_000)
  for (const path of readdirSync(root, { recursive: true })) utimesSync(join(root, path), hourAgo, hourAgo)
  return lines.length
}

/** What a test run prints: lines that are alike and not the same. */
function output(number, run) {
  const line = (_, at) => `ok ${at} part ${number} of the queue is mended in ${(at + run) % 97} ms`
  return Array.from({ length: RUN_LINES }, line).join('\n')
}

/** A prompt for every tenth row, answers between. */
function line(row, text) {
  const id = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const isPrompt = row % 10 === 0
  const content = isPrompt ? text : [{ type: 'text', text }]
  const message = isPrompt
    ? { role: 'user', content }
    : { id: `msg_${row}`, role: 'assistant', model: 'claude-opus-5-5', content, usage: { output_tokens: 9 } }
  const at = new Date(Date.parse('2026-10-01T08:00:00.000Z') + row * 1_000).toISOString()
  const common = { isSidechain: false, cwd: '/home/ana/work/long', sessionId: LONG, version: '2.1.325', timestamp: at }
  const type = isPrompt ? 'user' : 'assistant'
  return `${JSON.stringify({ parentUuid: row === 0 ? null : id(row - 1), ...common, type, message, uuid: id(row) })}\n`
}
