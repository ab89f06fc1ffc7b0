// Measures `annals blame` of a long file after many edits, each row with the whole file as the client writes it, beside bare Node.
// node blame.mjs DIST DIR
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [LINES, EDITS, ROUNDS] = [20_000, 500, 7]
const [dist, dir] = process.argv.slice(2).map((path) => resolve(path))
const { log, root: newRoot } = await import(pathToFileURL(join(dist, 'testing.mjs')).href)
const place = join(dir, 'blame')
const work = join(place, 'work')
const root = join(place, 'root')
const file = join(work, 'long.ts')
mkdirSync(work, { recursive: true })

const path = logWithOneEdit()
const changed = addEdits()
const env = { PATH: process.env.PATH, HOME: place, ANNALS_HOME: join(place, 'home') }
// The index knows the log: what is measured is the replay.
run(join(dist, 'cli.cjs'), 'index', '--root', root)
const blamed = JSON.parse(run(join(dist, 'cli.cjs'), 'blame', file, '--json', '--root', root).stdout)
if (blamed.proven !== changed) throw new Error(`${blamed.proven} lines are proven, ${changed} were written.`)
const ours = best(() => run(join(dist, 'cli.cjs'), 'blame', file, '--root', root))
const bare = best(() => run('-e', '0'))
process.stdout.write(
  JSON.stringify({ lines: LINES, edits: EDITS, logBytes: statSync(path).size, proven: changed, ours, bare }),
)

/** A session that edits the file once, as the client writes it: its rows are the model of all others. */
function logWithOneEdit() {
  const [before, after] = [1, 2].map((which) => `${which}\n`)
  newRoot()
    .add(log({ cwd: work, seed: 'blame' }).user('Change many lines').edit(file, { before, after }).assistant('done'))
    .write(root)
  return join(
    root,
    readdirSync(root, { recursive: true }).find((name) => name.endsWith('.jsonl')),
  )
}

/** Edits one line of the file after the other, all over it; gives how many different lines were written. */
function addEdits() {
  const rows = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const at = rows.findIndex((row) => row.type === 'assistant' && row.message.content[0].type === 'tool_use')
  const result = rows.find((row) => row.toolUseResult)
  const kept = rows.slice(0, at)
  writeFileSync(path, kept.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const text = Array.from({ length: LINES }, (_, line) => `  const value${line} = compute(${line}, options)`)
  const start = Date.parse(rows[at].timestamp)
  let parentUuid = kept.findLast((row) => row.uuid).uuid
  for (let edit = 0; edit < EDITS; edit += 1) {
    const line = (edit * 39) % LINES
    const ids = { call: randomUUID(), answer: randomUUID(), tool: `toolu_${edit}`, message: `msg_${edit}` }
    const originalFile = `${text.join('\n')}\n`
    const [oldString, newString] = [text[line], `  const value${line} = changed(${edit})`]
    const from = Math.max(0, line - 3)
    const around = (to, till) => text.slice(to, till).map((one) => ` ${one}`)
    const lines = [...around(from, line), `-${oldString}`, `+${newString}`, ...around(line + 1, line + 4)]
    const count = lines.length - 1
    const hunk = { oldStart: from + 1, oldLines: count, newStart: from + 1, newLines: count, lines }
    text[line] = newString
    const made = structuredClone(rows[at])
    Object.assign(made, { parentUuid, uuid: ids.call, timestamp: new Date(start + edit * 2_000).toISOString() })
    made.requestId = `req_${edit}`
    made.message.id = ids.message
    Object.assign(made.message.content[0], { id: ids.tool })
    Object.assign(made.message.content[0].input, { old_string: oldString, new_string: newString })
    const answer = structuredClone(result)
    Object.assign(answer, { parentUuid: ids.call, uuid: ids.answer, sourceToolAssistantUUID: ids.call })
    answer.timestamp = new Date(start + edit * 2_000 + 1_000).toISOString()
    answer.message.content[0].tool_use_id = ids.tool
    Object.assign(answer.toolUseResult, { oldString, newString, originalFile, structuredPatch: [hunk] })
    appendFileSync(path, `${JSON.stringify(made)}\n${JSON.stringify(answer)}\n`)
    parentUuid = ids.answer
  }
  writeFileSync(file, `${text.join('\n')}\n`)
  return text.filter((line) => line.includes('changed(')).length
}

function run(...argv) {
  const options = { env, cwd: work, encoding: 'utf8', maxBuffer: 1 << 28 }
  const ran = spawnSync(process.execPath, argv, options)
  if (ran.status !== 0) throw new Error(`${argv.join(' ')}: ${ran.stderr}`)
  return ran
}

/** The shortest of some runs: others share the machine. */
function best(measured) {
  return Math.min(
    ...Array.from({ length: ROUNDS }, () => {
      const start = performance.now()
      measured()
      return performance.now() - start
    }),
  )
}
