import { type IdSource, idSource } from './ids.ts'
import type { LineWriter } from './line-writer.ts'

/** Text to take from, already escaped for JSON, so that making a row is only joining strings. */
export interface TextPool {
  readonly short: readonly [string, ...string[]]
  readonly long: readonly [string, ...string[]]
  /** Base64 of no real picture. */
  readonly picture: string
}

/** One log of a large root. Two logs with the same seed have the same rows, but for their session id. */
export interface BulkLog {
  readonly seed: string
  readonly sessionId: string
  readonly cwd: string
  readonly version: string
  readonly startedAt: number
  readonly agentId?: string
}

/** What was written of a log. */
export interface BulkResult {
  readonly prompts: readonly { readonly text: string; readonly at: number }[]
  readonly endedAt: number
  readonly leaf: string | null
}

const WORDS =
  'the row of a log reads its value when every branch holds one message and no token is lost in the queue while writers wait for a lock über naïve 木 file path error index search result'.split(
    ' ',
  )

/** Makes the pool once for a whole root. */
export function textPool(seed: string): TextPool {
  const ids = idSource(`${seed} pool`)
  const word = () => WORDS[ids.below(WORDS.length)] ?? 'log'
  const sentence = (count: number) => Array.from({ length: count }, word).join(' ')
  const code = (lines: number) =>
    Array.from(
      { length: lines },
      (_, line) => `${'  '.repeat(ids.below(4))}const ${word()}_${line} = "${sentence(4)}"`,
    ).join('\n')
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1)
  return {
    short: [escaped(sentence(12)), ...Array.from({ length: 200 }, () => escaped(sentence(8 + ids.below(60))))],
    long: [escaped(code(20)), ...Array.from({ length: 120 }, () => escaped(code(10 + ids.below(120))))],
    picture: Buffer.from(code(900)).toString('base64'),
  }
}

/** How far turns are written, and what for. */
export interface TurnsPlan {
  /** Until the log has about so many bytes. */
  readonly bytes?: number
  /** So many turns, as copies of another log's: the client does not copy the rows of requests. */
  readonly copied?: number
  /** The row to go on after. */
  readonly leaf?: string | null
  /** The uuid of the first row, where somebody has named it already. */
  readonly first?: string
}

/** Writes turns. */
export function writeTurns(writer: LineWriter, log: BulkLog, pool: TextPool, plan: TurnsPlan): BulkResult {
  const { bytes = 0, copied, leaf = null } = plan
  const ids = idSource(log.seed)
  const prompts: { text: string; at: number }[] = []
  let parent = leaf
  let named = plan.first
  let now = log.startedAt
  const side = log.agentId === undefined ? 'false' : `true,"agentId":"${log.agentId}"`
  const tail = `"userType":"external","entrypoint":"cli","cwd":${JSON.stringify(log.cwd)},"sessionId":"${log.sessionId}","version":"${log.version}","gitBranch":"main"}`
  const push = (body: string) => {
    const uuid = named ?? ids.uuid()
    named = undefined
    now += 200 + ids.below(4_000)
    const at = new Date(now).toISOString()
    const head = `{"parentUuid":${parent === null ? 'null' : `"${parent}"`},"isSidechain":${side},`
    writer.line(`${head}${body},"uuid":"${uuid}","timestamp":"${at}",${tail}`)
    parent = uuid
    return uuid
  }
  const requests = log.version === '2.1.325' && log.agentId === undefined
  const logged = (row: string) => {
    if (copied === undefined) writer.line(row)
  }
  if (requests && leaf === null) logged(shapeRow(log, ids, pool))
  do {
    const text = ids.pick(pool.short)
    prompts.push({ text, at: now })
    push(`"promptId":"${ids.uuid()}","type":"user","message":{"role":"user","content":"${text}"}`)
    const calls = 2 + ids.below(9)
    for (let call = 0; call < calls; call++) {
      const request = requests ? ids.uuid() : undefined
      if (request !== undefined) logged(requestRow(log, ids, now, request))
      const id = ids.toolUseId()
      const input = `{"command":"${ids.pick(pool.short)}","description":"Look"}`
      const answer = response(ids, 'tool_use', request)
      // Streamed lines share the message id and repeat its usage, as real ones do.
      if (ids.below(5) < 3) push(answer(`{"type":"thinking","thinking":"${ids.pick(pool.long)}","signature":""}`))
      const line = push(answer(`{"type":"tool_use","id":"${id}","name":"Bash","input":${input}}`))
      push(resultBody(ids, pool, id, line))
    }
    push(response(ids, 'end_turn')(`{"type":"text","text":"${ids.pick(pool.long)}"}`))
    now += 30_000 + ids.below(300_000)
  } while (copied === undefined ? writer.bytes < bytes : prompts.length < copied)
  return { prompts, endedAt: now, leaf: parent }
}

/** One response: gives the row of each of its blocks. */
function response(ids: IdSource, stopReason: string, request?: string): (block: string) => string {
  const written = ids.below(3_000)
  const usage = `{"input_tokens":${ids.below(30)},"cache_creation_input_tokens":${written},"cache_read_input_tokens":${ids.below(150_000)},"output_tokens":${20 + ids.below(900)},"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":${written}},"inference_geo":"","iterations":[],"speed":"standard"}`
  const head = `"message":{"id":"${ids.messageId()}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[`
  const ref = request === undefined ? '' : `"requestRef":"${request}",`
  const tail = `],"stop_reason":"${stopReason}","stop_sequence":null,"usage":${usage}},"requestId":"${ids.requestId()}",${ref}"type":"assistant"`
  return (block) => `${head}${block}${tail}`
}

/** A tool result, which stands twice in its row; a few are pictures. */
function resultBody(ids: IdSource, pool: TextPool, id: string, line: string): string {
  const isPicture = ids.below(150) === 0
  const text = Array.from({ length: 1 + ids.below(3) }, () => ids.pick(pool.long)).join('\\n')
  const content = isPicture
    ? `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${pool.picture}"}}]`
    : `"${text}"`
  const result = isPicture
    ? `{"type":"image","file":{"base64":"${pool.picture}","type":"image/png","originalSize":${pool.picture.length}}}`
    : `{"stdout":"${text}","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`
  return `"promptId":"${ids.uuid()}","type":"user","message":{"role":"user","content":[{"tool_use_id":"${id}","type":"tool_result","content":${content},"is_error":false}]},"toolUseResult":${result},"sourceToolAssistantUUID":"${line}"`
}

function shapeRow(log: BulkLog, ids: IdSource, pool: TextPool): string {
  const system = Array.from({ length: 8 }, () => `{"type":"text","text":"${ids.pick(pool.long)}"}`).join(',')
  return `{"type":"api-request-shape","sessionId":"${log.sessionId}","shapeHash":"${ids.hex(64)}","timestamp":"${new Date(log.startedAt).toISOString()}","version":"${log.version}","shape":{"system":[${system}],"tools":[]}}`
}

function requestRow(log: BulkLog, ids: IdSource, now: number, id: string): string {
  const params = '{"model":"claude-opus-5-5","betas":[],"max_tokens":128000,"output_config":{"effort":"medium"}}'
  return `{"type":"api-request","sessionId":"${log.sessionId}","id":"${id}","timestamp":"${new Date(now).toISOString()}","version":"${log.version}","querySource":"repl_main_thread","params":${params},"keep":0,"tail":["${ids.hex(64)}"],"requestDigest":"${ids.hex(64)}"}`
}

/** The checkpoint of a fork's first own prompt, which stands before the rows that it copied. */
export function snapshotRow(messageId: string, now: number): string {
  const timestamp = new Date(now).toISOString()
  return `{"type":"file-history-snapshot","messageId":"${messageId}","snapshot":{"messageId":"${messageId}","trackedFileBackups":{},"timestamp":"${timestamp}"},"isSnapshotUpdate":false}`
}
