import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Library } from '../../src/disk/library.ts'
import { listedSessions } from '../../src/history/families.ts'
import { linkedAgents } from '../../src/history/family.ts'
import { historyOf } from '../../src/history/history.ts'
import { listSessions } from '../../src/history/list.ts'
import type { SessionItem } from '../../src/history/view/session-item.ts'
import { corpus, WITHOUT_CORPUS } from '../corpus.ts'
import { type AgentTruth, type SessionTruth, scenarios, type TitleTruth } from './scenarios.ts'

const folder = corpus('2.1.325')

describe.skipIf(!folder)(`what the client scenarios hold${folder ? '' : WITHOUT_CORPUS}`, () => {
  for (const scenario of scenarios) {
    test(scenario.root, async () => {
      const library = new Library({ roots: [join(folder as string, scenario.root)] })
      const items = await listSessions(contextOf(library))
      const found = await Promise.all(items.map((item) => sessionOf(library, item)))
      expect(sorted(found)).toEqual(sorted(scenario.sessions.map(withoutTitle)))
      for (const truth of scenario.sessions) {
        const item = items.find(({ id }) => id.startsWith(truth.id))
        expect(titlesOf(item as SessionItem, truth.title)).toContain(item?.title)
        expect(item?.titleFrom).toBe(truth.title.from)
      }
      library.close()
    })
  }
})

type Found = Omit<SessionTruth, 'title'>

async function sessionOf(library: Library, item: SessionItem): Promise<Found> {
  const history = historyOf({ library, warn: () => {} })
  const files = (await listedSessions(history)).find(({ log }) => log?.path === item.file)
  const agents = files ? linkedAgents(library, files) : []
  return {
    id: item.id.slice(0, 8),
    kind: item.kind as SessionTruth['kind'],
    ...(item.counts as NonNullable<SessionItem['counts']>),
    branches: item.branches ?? -1,
    compactions: item.compactions ?? -1,
    agents: agents
      .map((agent): AgentTruth => {
        const isInline = agent.entry.path === item.file
        return {
          id: isInline ? String(agent.nodes[0]?.line) : agent.id.slice(0, 10),
          class: agent.class,
          type: agent.type,
          linkedBy: agent.linkedBy,
          callLine: agent.call?.place.line ?? null,
          ...(agent.parentAgent ? { parentAgent: agent.parentAgent.slice(0, 10) } : {}),
        }
      })
      .sort(byId),
    ...(item.forkedFrom ? { forkedFrom: item.forkedFrom.slice(0, 8) } : {}),
    ...(item.continues ? { continues: item.continues.slice(0, 8) } : {}),
  }
}

function withoutTitle({ title: _, agents, ...truth }: SessionTruth): Found {
  return { ...truth, agents: agents.toSorted(byId) }
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}

function sorted(sessions: readonly Found[]): readonly Found[] {
  return sessions.toSorted(byId)
}

/** The texts that stand where the truth says the title stands, read here without any code of ours. */
function titlesOf(item: SessionItem, truth: TitleTruth): readonly (string | null)[] {
  if (truth.from === 'none') return [null]
  const places = [truth, ...(truth.or ? [truth.or] : [])]
  const texts = places.flatMap(({ line, file }) => (line === undefined ? [] : [textAt(item, line, file)]))
  if (truth.sidecar) {
    const sidecar = join(dirname(item.file as string), item.id, truth.sidecar)
    texts.push(JSON.parse(readFileSync(sidecar, 'utf8')).customTitle)
  }
  return texts.map((text) => text.trim().slice(0, 200).trim())
}

function textAt(item: SessionItem, line: number, file: string | undefined): string {
  const path = file === undefined ? (item.file as string) : pathOf(item, file)
  const row = JSON.parse(readFileSync(path, 'utf8').split('\n')[line - 1] as string)
  const content = row.message?.content
  const text = typeof content === 'string' ? content : content?.find((block: { text?: string }) => block.text)?.text
  const command = /<command-name>(.*?)<\/command-name>/.exec(text ?? '')?.[1]
  if (command) return `${command} ${/<command-args>(.*?)<\/command-args>/s.exec(text ?? '')?.[1] ?? ''}`
  return row.customTitle ?? row.aiTitle ?? row.summary ?? row.attachment?.prompt ?? text
}

function pathOf(item: SessionItem, prefix: string): string {
  const folderPath = dirname(item.file as string)
  return join(folderPath, `${siblings(folderPath).find((name) => name.startsWith(prefix))}`)
}

function siblings(path: string): readonly string[] {
  return new Library({ roots: [dirname(dirname(path))] }).sessions().map(({ id }) => `${id}.jsonl`)
}

function contextOf(library: Library) {
  return {
    library,
    now: new Date('2026-11-15T20:00:00Z'),
    cwd: '/',
    home: '/',
    currentSession: undefined,
    warn: (warning: { message: string }) => expect.fail(warning.message),
    progress: () => {},
  }
}
