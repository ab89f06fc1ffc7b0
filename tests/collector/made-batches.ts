import type { TeamDocument, TeamRow } from '../../src/collector/row.ts'
import type { Batch, Machine, Mark } from '../../src/collector/sink.ts'

/** A machine by a number. */
export function machine(number = 1): Machine {
  return { id: `machine-${String(number).padStart(4, '0')}`, user: 'ana', name: 'desk' }
}

/** A row of a made-up log: every row is 100 bytes long, so that number n begins at byte 100 n. */
export function row(number: number, more: Partial<TeamRow> = {}): TeamRow {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const session = more.session ?? SESSION
  const text = `{"type":"user","uuid":"${uuid}","sessionId":"${session}","message":{"role":"user","content":"word ${number}"}}`
  return {
    machine: machine().id,
    file: `projects/-p/${session}.jsonl`,
    generation: 1,
    offset: number * 100,
    line: number + 1,
    length: 99,
    user: 'ana',
    project: '/home/ana/p',
    session,
    agent: null,
    timestamp: new Date(Date.parse('2026-11-14T10:00:00.000Z') + number * 3_600_000).toISOString(),
    type: 'user',
    kind: 'prompt',
    role: 'user',
    uuid,
    parentUuid: null,
    version: '2.1.325',
    gitBranch: 'main',
    messageId: null,
    requestId: null,
    model: null,
    tokens: null,
    tools: [],
    isError: false,
    content: Buffer.from(text),
    contentHash: `hash ${number}`,
    ...more,
  }
}

export const SESSION = 'aaaa1111-0000-4000-8000-000000000001'

/** A row of an answer, with all that a row can carry. */
export function answer(number: number, more: Partial<TeamRow> = {}): TeamRow {
  const tokens = {
    inputTokens: 3,
    outputTokens: 40,
    cacheReadTokens: 5000,
    cacheWrite5mTokens: 7,
    cacheWrite1hTokens: 11,
    webSearches: 1,
  }
  const tools = [
    { id: 'toolu_1', name: 'Edit', file: '/home/ana/p/a.ts', isResult: false, isError: null },
    { id: 'toolu_0', name: null, file: null, isResult: true, isError: true },
  ]
  return row(number, {
    type: 'assistant',
    kind: 'response',
    role: 'assistant',
    messageId: `msg_${number}`,
    requestId: 'req_1',
    model: 'claude-opus-5-5',
    tokens,
    tools,
    isError: true,
    agent: 'a1',
    ...more,
  })
}

/** How far some rows bring their files. */
export function marksOf(rows: readonly TeamRow[]): readonly Mark[] {
  const marks = new Map<string, Mark>()
  for (const { machine, file, generation, offset } of rows) {
    const path = `/root/${file}`
    const end = offset + 100
    marks.set(`${file} ${generation}`, {
      machine,
      file,
      generation,
      offset: end,
      cursor: cursorAt(path, generation, end),
    })
  }
  return [...marks.values()]
}

function cursorAt(path: string, generation: number, offset: number) {
  return {
    path,
    inode: '1:2',
    generation,
    offset,
    line: offset / 100,
    headLength: Math.min(1024, offset),
    headHash: 'head',
    tailLength: Math.min(4096, offset),
    tailHash: 'tail',
    prefixSum: 12,
    sizeBytes: offset,
    modifiedAt: 1_700_000_000_000.5,
    settled: true,
  }
}

/** A batch of rows, with the marks that belong to them. */
export function batch(id: string, rows: readonly TeamRow[], more: Partial<Batch> = {}): Batch {
  return { id, machine: machine(), rows, documents: [], marks: marksOf(rows), tombstones: [], ...more }
}

export function document(file: string, content: string, more: Partial<TeamDocument> = {}): TeamDocument {
  return {
    machine: machine().id,
    user: 'ana',
    project: '/home/ana/p',
    session: SESSION,
    file,
    kind: 'meta',
    modifiedAt: '2026-11-14T10:00:00.000Z',
    content: Buffer.from(content),
    contentHash: `hash of ${content}`,
    ...more,
  }
}
