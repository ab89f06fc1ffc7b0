// Writes so many logs of so many rows each: one that never ends, or very many small ones.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const PROJECTS = 40
const LONGEST_TURN = 20

const [root, logs, rows] = [process.argv[2], ...process.argv.slice(3).map(Number)]
// A turn ends with its log.
const turn = Math.min(LONGEST_TURN, rows)
const hex = (number, length) => number.toString(16).padStart(length, '0')
const uuidOf = (row) => `${hex(Math.imul(row, 0x9e3779b1) >>> 0, 8)}-0000-4000-8000-${hex(row, 12)}`
for (let number = 0; number < logs; number++) writeLog(number)

function writeLog(number) {
  const cwd = `/home/ana/project-${number % PROJECTS}`
  const session = `22222222-0000-4000-8000-${hex(number, 12)}`
  const folder = join(root, 'projects', cwd.replaceAll('/', '-'))
  mkdirSync(folder, { recursive: true })
  const file = openSync(join(folder, `${session}.jsonl`), 'w')
  const end = (number + 1) * rows
  let lines = ''
  for (let row = end - rows; row < end; row++) {
    const parentUuid = row === end - rows ? null : uuidOf(row - 1)
    lines += `${JSON.stringify({ parentUuid, cwd, sessionId: session, ...rowOf(row) })}\n`
    if (lines.length < 4e6 && row < end - 1) continue
    writeSync(file, lines)
    lines = ''
  }
  closeSync(file)
}

/** A question, up to nine calls of a tool with their results, and an answer. */
function rowOf(row) {
  return {
    isSidechain: false,
    userType: 'external',
    version: '2.1.325',
    gitBranch: 'main',
    uuid: uuidOf(row),
    timestamp: new Date(Date.UTC(2026, 2, 1) + row * 1001).toISOString(),
    ...(row % turn === 0 ? question(row) : (row % turn) % 2 === 1 ? answer(row) : result(row)),
  }
}

function question(row) {
  return { type: 'user', message: { role: 'user', content: `Question ${row}: ${'words '.repeat(20)}` } }
}

function answer(row) {
  const isLast = row % turn === turn - 1
  const said = { type: 'text', text: 'words '.repeat(25) }
  const call = { type: 'tool_use', id: toolOf(row), name: 'Bash', input: { command: `make ${row}` } }
  return {
    type: 'assistant',
    requestId: `req_${hex(row, 24)}`,
    message: {
      id: `msg_${hex(row, 24)}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: isLast ? [said] : [said, call],
      stop_reason: isLast ? 'end_turn' : 'tool_use',
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 100,
        output_tokens: row % 100,
      },
    },
  }
}

function result(row) {
  const content = [{ type: 'tool_result', tool_use_id: toolOf(row - 1), content: 'words '.repeat(25) }]
  return { type: 'user', message: { role: 'user', content }, toolUseResult: { stdout: 'words', stderr: '' } }
}

function toolOf(row) {
  return `toolu_${hex(row, 22)}`
}
