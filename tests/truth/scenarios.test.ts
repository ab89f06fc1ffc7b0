import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Library } from '../../src/disk/library.ts'
import { describeSession } from '../../src/disk/session.ts'
import { corpus } from '../corpus.ts'
import { scenarios } from './scenarios.ts'

const root = corpus('client')

describe.skipIf(!root)(`hand-made truth of the client scenarios${root ? '' : ' (skipped: ANNALS_CORPUS names no folder)'}`, () => {
  for (const scenario of scenarios) {
    test(scenario.root, () => {
      const library = new Library({ roots: [join(root as string, scenario.root)] })
      const summaries = library.sessions().flatMap((s) => (s.log ? (library.facts(s.log)?.facts.summaries ?? []).map((row) => ({ ...row, at: s.log?.modifiedAt ?? 0, id: s.id })) : []))
      const found = library.sessions().map((files) => {
        const known = library.facts(files.log as NonNullable<typeof files.log>)
        if (!known) throw new Error('gone')
        const uuids = new Set(known.facts.nodes.map((node) => node.uuid))
        const summary = summaries.filter((row) => uuids.has(row.leafUuid)).sort((a, b) => b.at - a.at)[0]
        const facts = describeSession(files, known, { sidecarTitle: library.sidecarTitle(files), summary: summary?.text ?? null })
        return { facts, agents: library.agents(files, known) }
      })
      const got = found.map(({ facts, agents }) => ({
        id: facts.files.id.slice(0, 8), kind: facts.kind, titleFrom: facts.titleFrom,
        ...facts.whole?.counts, branches: facts.whole?.branches, compactions: facts.whole?.compactions,
        agents: agents.map((a) => ({ id: a.entry === facts.files.log ? `line ${a.nodes[0]?.line}` : a.id.slice(0, 10), class: a.class, type: a.type, linkedBy: a.linkedBy, callLine: a.call?.place.line ?? null })).sort((x, y) => x.id < y.id ? -1 : 1),
      })).sort((x, y) => x.id < y.id ? -1 : 1)
      const want = scenario.sessions.map((s) => ({
        id: s.id, kind: s.kind, titleFrom: s.title.from, rows: s.rows, prompts: s.prompts, messages: s.messages, turns: s.turns, toolCalls: s.toolCalls,
        branches: s.branches, compactions: s.compactions,
        agents: s.agents.map((a) => ({ id: /^\d{1,5}$/.test(a.id) ? `line ${a.id}` : a.id, class: a.class, type: a.type, linkedBy: a.linkedBy, callLine: a.callLine })).sort((x, y) => x.id < y.id ? -1 : 1),
      })).sort((x, y) => x.id < y.id ? -1 : 1)
      expect(got).toEqual(want)
      library.close()
    })
  }
})
void readdirSync, readFileSync, afterAll
