import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Library } from '../src/disk/library.ts'
import { bundle } from '../src/export/bundle/bundle.ts'
import type { Context } from '../src/history/context.ts'
import { agents } from '../src/ops/agents.ts'
import { files } from '../src/ops/files.ts'
import { importing } from '../src/ops/import.ts'
import { plans } from '../src/ops/plans.ts'
import { sessions } from '../src/ops/sessions.ts'
import { todos } from '../src/ops/todos.ts'
import { usage } from '../src/ops/usage.ts'
import { exportJob, filesOf, type MadeJob } from './exporting.ts'

/** Writes the bundles of all sessions of a root into a folder. */
export async function writeBundles(root: string, folder: string, made: MadeJob = {}): Promise<readonly string[]> {
  const job = await exportJob(root, made)
  mkdirSync(folder, { recursive: true })
  const paths: string[] = []
  for (const session of job.sessions) {
    for (const [name, bytes] of await filesOf(bundle, session, job)) {
      writeFileSync(join(folder, name), bytes)
      paths.push(join(folder, name))
    }
  }
  return paths
}

/** What a machine with this folder of our data works with. */
export function machine(dataDir: string, roots: readonly string[] = []): Context {
  let library: Library | undefined
  return {
    get library() {
      library ??= new Library({ roots })
      return library
    },
    now: new Date(),
    cwd: '/',
    home: '/',
    dataDir,
    currentSession: undefined,
    warn: () => {},
    progress: () => {},
  }
}

/** Imports bundles or logs. */
export async function importAll(dataDir: string, bundles: readonly string[], to?: string) {
  return importing.run(machine(dataDir), { bundle: [...bundles], ...(to !== undefined && { to }) })
}

/** The lines of a bundle, read with nothing of ours. */
export function linesOf(path: string): readonly Record<string, unknown>[] {
  const text = gunzipSync(readFileSync(path)).toString('utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** What must be the same on both machines. */
export async function told(roots: readonly string[], dataDir: string) {
  const context = machine(dataDir, roots)
  const list = await sessions.run(context, { all: true, full: true })
  const { items } = await agents.run(context, {})
  const { rows, total } = await usage.run(context, { all: true, by: 'session' })
  const place = ['root', 'file', 'sizeBytes', 'expiresAt', 'continues', 'continuedIn', 'kept', 'status']
  const without = (item: object) => Object.fromEntries(Object.entries(item).filter(([name]) => !place.includes(name)))
  const byId = (a: { id?: unknown }, b: { id?: unknown }) => (String(a.id) < String(b.id) ? -1 : 1)
  return {
    sessions: list.items.map(without).toSorted(byId),
    agents: items
      .map(({ id, session, class: kind, type, description, prompt, result, usage: used, linkedBy, lines }) => {
        return { id, session, kind, type, description, prompt, result, used, linkedBy, lines }
      })
      .toSorted(byId),
    usage: rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    total,
    plans: (await plans.run(context, {})).items.map(({ text }) => text).toSorted(),
    todos: (await todos.run(context, {})).items.length,
    files: (await files.run(context, {})).items.length,
  }
}
