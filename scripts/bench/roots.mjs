// Writes the two roots that are measured: a large one, and one of many small sessions. The same bytes every time.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const SESSIONS = 1_700
const PROJECTS = 17
const VERSIONS = ['2.1.325', '2.1.325', '2.1.200', '2.1.112', '2.0.77']
const WORDS = 'the queue keeps every row until a writer says “done”; then the reader (src/queue.ts) takes the next one'
const TEXT = `${WORDS.split(' ').join('\n  "x": ')} ${WORDS} `.repeat(60)

const [dist, dir, bytes] = process.argv.slice(2)
const { generateRoot, log } = await import(pathToFileURL(join(dist, 'testing.mjs')).href)

generateRoot(join(dir, 'large'), { bytes: Number(bytes) })
for (let number = 0; number < SESSIONS; number++) writeSession(join(dir, 'small'), number)

/** Between about 20 and 300 KB, small ones more often than large ones. */
function writeSession(root, number) {
  const wanted = 25_000 * 11 ** ((number * 0.618_034) % 1)
  const session = log({
    seed: `session ${number}`,
    version: VERSIONS[number % VERSIONS.length],
    cwd: `/home/ana/work/project-${number % PROJECTS}`,
    startedAt: new Date(Date.parse('2026-01-05T08:00:00.000Z') + number * 4 * 3_600_000).toISOString(),
  })
  let written = 0
  for (let turn = 0; written < wanted; turn++) {
    const at = (number * 31 + turn * 7) % 500
    const output = TEXT.slice(at, at + 200 + ((number + turn * turn * 13) % 9) * 600)
    session.user(TEXT.slice(at, at + 40 + (at % 300)))
    session.assistant('I will look.', { thinking: TEXT.slice(at, at + 900) })
    session.tool('Bash', { command: `grep -rn row-${at} src` }, { output })
    session.assistant(TEXT.slice(at, at + 500))
    written += 8_500 + 2.4 * output.length
  }
  if (number % 3 === 0) session.aiTitle(`Mend the queue, part ${number}`)
  session.write(root)
}
