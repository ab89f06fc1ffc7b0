import { basename } from 'node:path'
import type { Source } from '../disk/source.ts'
import type { CollectedFile } from './collected-files.ts'
import { type LogHead, readLogHead } from './log-head.ts'

/** Tells in which folder of a person a session was held: logs say it themselves, documents by the logs that they belong to. */
export class ProjectFolders {
  readonly #source: Source
  readonly #heads = new Map<string, { readonly sign: string; readonly head: LogHead }>()
  readonly #byProject = new Map<string, string>()
  readonly #bySession = new Map<string, string>()
  readonly #bySlug = new Map<string, string>()

  constructor(source: Source) {
    this.#source = source
  }

  /** What the first records of a log say. */
  headOf({ entry, projectKey, session, kind }: CollectedFile): LogHead {
    const sign = `${entry.inode ?? ''} ${entry.sizeBytes < SETTLED_BYTES ? entry.sizeBytes : ''}`
    const known = this.#heads.get(entry.path)
    if (known?.sign === sign) return known.head
    const head = readLogHead(this.#source, entry)
    // What it says must be known before anything of it leaves: it may belong to a project that is left out.
    if (!head.isClosed) this.#heads.set(entry.path, { sign, head })
    if (head.cwd === null) return head
    const project = `${entry.root}\0${projectKey}`
    if (!this.#byProject.has(project)) this.#byProject.set(project, head.cwd)
    if (kind === 'session' && session !== null) this.#bySession.set(session, head.cwd)
    if (head.slug !== null) this.#bySlug.set(head.slug, head.cwd)
    return head
  }

  /** The folder of a document; `null` for one that belongs to none, `undefined` where nobody can tell: it may be left out. */
  folderOf({ entry, kind, projectKey, session }: CollectedFile): string | null | undefined {
    if (projectKey !== null) return this.#byProject.get(`${entry.root}\0${projectKey}`)
    if (session !== null) return this.#bySession.get(session)
    if (kind !== 'plan') return null
    return this.#bySlug.get(basename(entry.path, '.md').split('-agent-')[0] ?? '')
  }
}

/** A log shorter than this may yet say more in its first records. */
const SETTLED_BYTES = 16 * 1024
