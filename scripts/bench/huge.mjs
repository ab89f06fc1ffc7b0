// Writes one log of so many rows, as a session would have that never ends.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [root, count] = process.argv.slice(2)
const session = '22222222-0000-4000-8000-000000000000'
const folder = join(root, 'projects', '-home-ana-api')
mkdirSync(folder, { recursive: true })
const file = openSync(join(folder, `${session}.jsonl`), 'w')
const hex = (number, length) => number.toString(16).padStart(length, '0')
const uuidOf = (row) => `${hex(Math.imul(row, 0x9e3779b1) >>> 0, 8)}-0000-4000-8000-${hex(row, 12)}`
let lines = ''
for (let row = 0; row < Number(count); row++) {
  lines += `${JSON.stringify(rowOf(row))}\n`
  if (lines.length < 4e6 && row < Number(count) - 1) continue
  writeSync(file, lines)
  lines = ''
}
closeSync(file)

/** A question, nine calls of a tool with their results, and an answer. */
function rowOf(row) {
  return {
    parentUuid: row === 0 ? null : uuidOf(row - 1),
    isSidechain: false,
    userType: 'external',
    cwd: '/home/ana/api',
    sessionId: session,
    version: '2.1.325',
    gitBranch: 'main',
    uuid: uuidOf(row),
    timestamp: new Date(Date.UTC(2026, 2, 1) + row * 1001).toISOString(),
    ...(row % 20 === 0 ? question(row) : row % 2 === 1 ? answer(row) : result(row)),
  }
}

function question(row) {
  return { type: 'user', message: { role: 'user', content: `Question ${row}: ${'words '.repeat(20)}` } }
}

function answer(row) {
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
      content: row % 20 === 19 ? [said] : [said, call],
      stop_reason: row % 20 === 19 ? 'end_turn' : 'tool_use',
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
