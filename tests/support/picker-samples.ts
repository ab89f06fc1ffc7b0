import type { Found, Hit, Listed } from '../../src/cli/picker/model.ts'
import { createStyle } from '../../src/cli/terminal/style.ts'
import type { View } from '../../src/cli/view.ts'

/** A session for tests; its number makes its id, and how old it is. */
export function session(number: number, fields: Partial<Listed> = {}): Listed {
  const updatedAt = new Date(Date.parse('2026-11-13T11:00:00Z') - number * 86_400_000).toISOString()
  return {
    id: `0000000${number}-0000-4000-8000-000000000000`,
    file: `/root/projects/api/${number}.jsonl`,
    project: { key: '-home-ana-api', path: '/home/ana/api' },
    title: `Session ${number}`,
    kind: 'conversation',
    status: 'finished',
    createdAt: null,
    updatedAt,
    activeMs: 5 * 60_000,
    gitBranch: null,
    costUsd: null,
    inherited: null,
    forkedFrom: null,
    expiresAt: null,
    kept: false,
    starred: false,
    tags: [],
    isHere: true,
    isArchived: false,
    ...fields,
  }
}

/** A hit in a session. */
export function hit({ id, project }: Listed, snippet: string, fields: Partial<Hit> = {}): Hit {
  return {
    session: id,
    title: null,
    agent: null,
    project: { ...project },
    turn: null,
    who: 'answer',
    point: `${id}:1`,
    uuid: null,
    role: 'assistant',
    kind: 'text',
    timestamp: '2026-11-12T10:00:00Z',
    snippet,
    matches: [],
    file: '/root/projects/api/x.jsonl',
    line: 1,
    offset: 0,
    length: 1,
    ...fields,
  }
}

/** What a search for a query found, all of it. */
export function foundFor(query: string, hits: readonly Hit[], fields: Partial<Found> = {}): Found {
  const groups = new Map<string, Found['groups'][number]>()
  for (const { session, project, timestamp } of hits) {
    const { count = 0, newest = timestamp } = groups.get(session) ?? {}
    groups.set(session, { session, project, count: count + 1, newest })
  }
  const sums = { groups: [...groups.values()], total: hits.length, moreHits: false, behindBytes: 0 }
  return { query, scope: 'here', hits, askedIn: new Map(), ...sums, fitting: undefined, problem: undefined, ...fields }
}

/** Someone who looks on in November 2026, without colours. */
export const view: View = {
  style: createStyle({ colour: false }),
  width: 80,
  now: new Date('2026-11-13T12:00:00Z'),
  home: '/home/ana',
  timeZone: 'UTC',
  tools: 'brief',
  input: {},
}
