import { Library } from '../src/disk/library.ts'
import type { Exporter, ExportJob, ExportOptions } from '../src/export/exporter.ts'
import type { Context } from '../src/history/context.ts'
import { listedSessions } from '../src/history/families.ts'
import type { FoundSession } from '../src/history/find.ts'
import { historyOf } from '../src/history/history.ts'
import type { Redactor } from '../src/redact/redactor.ts'

/** What a test exports with. */
export interface MadeJob {
  readonly options?: Partial<ExportOptions>
  readonly redactor?: Redactor
  readonly folder?: string
  readonly dataDir?: string
  readonly warn?: Context['warn']
}

/** An export of a root, without a command line. */
export async function exportJob(
  root: string,
  made: MadeJob = {},
): Promise<ExportJob & { readonly sessions: readonly FoundSession[] }> {
  const library = new Library({ roots: [root] })
  const context: Context = {
    library,
    now: new Date('2026-11-15T12:00:00.000Z'),
    cwd: root,
    home: root,
    dataDir: made.dataDir,
    version: '0.0.0-test',
    currentSession: undefined,
    warn: made.warn ?? (() => {}),
    progress: () => {},
  }
  return {
    context,
    options: { agents: 'inline', thinking: true, budget: undefined, escape: true, ...made.options },
    redactor: made.redactor,
    names: new Set(),
    folder: made.folder,
    sessions: (await listedSessions(historyOf(context)))
      .filter(({ log }) => log)
      .map((files) => ({ library, files, agent: null })),
  }
}

/** The files of one session. */
export async function filesOf(writer: Exporter, session: FoundSession, job: ExportJob): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for await (const { name, content } of writer.session?.(session, job) ?? []) files.set(name, await whole(content))
  return files
}

/** The one file that several sessions make. */
export async function tableOf(writer: Exporter, sessions: readonly FoundSession[], job: ExportJob): Promise<Buffer> {
  for await (const { content } of writer.table?.(sessions, job) ?? []) return whole(content)
  throw new Error('no table')
}

async function whole(content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of content) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}
