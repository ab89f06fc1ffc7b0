// Writes the root that is indexed: a large one, with small sessions until it has as many logs as asked for. The same
// bytes every time, and a word, a phrase and a pattern in some of them, to be found.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const PROJECTS = 40
const SOUGHT_EVERY = 4
const WORDS = 'the reader takes one row of the queue and says when it is done; nobody else may have it until then'

const [dist, root, bytes, logs] = process.argv.slice(2)
const { generateRoot, log } = await import(pathToFileURL(join(dist, 'testing.mjs')).href)

const { sessions, agents } = generateRoot(root, { bytes: Number(bytes) })
for (let number = sessions + agents; number < Number(logs); number += 2) writeSession(number)

/** A short session with one agent: two logs. */
function writeSession(number) {
  const isSought = number % (2 * SOUGHT_EVERY) < 2
  const prompt = isSought
    ? `Why does the turnstile counter drift at gate-${number}?`
    : `Look at row ${number}: ${WORDS}`
  log({
    seed: `short ${number}`,
    version: '2.1.325',
    cwd: `/home/ana/work/project-${String(number % PROJECTS).padStart(2, '0')}`,
    startedAt: new Date(Date.parse('2026-01-05T08:00:00.000Z') + number * 2 * 3_600_000).toISOString(),
    attachments: false,
  })
    .user(prompt)
    .tool('Bash', { command: `grep -rn row-${number} src` }, { output: `${WORDS}\n`.repeat(3 + (number % 9)) })
    .subagent({ description: `Look at ${number}`, prompt, result: `${WORDS}: ${number}` })
    .assistant(`It is row ${number}. ${WORDS}`)
    .write(root)
}
