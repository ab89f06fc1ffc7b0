import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importedRoots } from '../src/history/imported-roots.ts'
import { createRedactor } from '../src/redact/redactor.ts'
import { importAll, told, writeBundles } from './bundles.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'
import { inFolder } from './support/made-folder.ts'

const folder = corpus('2.1.325')
const CLIENT = /^\d+\.\d+\.\d+$/
const SCENARIOS =
  /^(agent|agents2|compact|fork|hooks|image|nested|plan|tasks|todo|tools|workflow|unicodepath|worktree)$/
const scenarios = folder
  ? readdirSync(folder).flatMap((version) =>
      CLIENT.test(version)
        ? readdirSync(join(folder, version)).flatMap((name) => (SCENARIOS.test(name) ? [join(version, name)] : []))
        : [],
    )
  : []

/** The sessions of a root, by the names of its logs. */
function sessionsIn(root: string): readonly string[] {
  const logs = readdirSync(join(root, 'projects'), { recursive: true, encoding: 'utf8' })
  return logs.flatMap((path) => /^[^/]+\/((?!agent-)[^/]+)\.jsonl$/.exec(path)?.[1] ?? []).sort()
}

/** What a session alone can tell: old clients wrote a session's title into the log of the next. */
function ownWords(item: object): object {
  return { ...item, title: null, titleFrom: null, costUsd: null, ownCostUsd: null }
}

describe.skipIf(!folder)(`what clients wrote${folder ? '' : WITHOUT_CORPUS}`, () => {
  test.each(folder ? scenarios : ['every scenario'])(
    '%s tells the same after it was bundled and imported',
    { timeout: 300_000 },
    (name) =>
      inFolder({}, async (made) => {
        const root = join(folder as string, name)
        const redactor = createRedactor({ key: new Uint8Array(32) })
        const bundles = await writeBundles(root, join(made, 'sent'), { redactor })
        mkdirSync(join(made, 'claude'))
        for (const to of [undefined, join(made, 'claude')]) {
          const { items } = await importAll(join(made, 'other'), bundles, to)
          expect(items.map(({ session }) => session).sort()).toEqual(sessionsIn(root))
        }
        const source = await told([root], join(made, 'mine'))
        expect(await told([join(made, 'claude')], join(made, 'none'))).toEqual(source)
        // Whose a response is that stands in two sessions depends on their paths; what all cost together does not.
        const apart = await told(importedRoots(join(made, 'other')), join(made, 'other'))
        expect(apart.sessions.map(ownWords)).toEqual(source.sessions.map(ownWords))
        expect(apart.agents).toEqual(source.agents)
        expect(apart.total).toEqual(source.total)
      }),
  )
})
