import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { archiveFolder } from '../../archive/archive.ts'
import { withArchive } from '../../archive/archive-source.ts'
import { Failure } from '../../core/failure.ts'
import { diskSource } from '../../disk/disk-source.ts'
import { relativePath } from '../../disk/layout.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import type { FoundSession } from '../../history/find.ts'
import { logOf } from '../../history/gone.ts'
import { sessionItem } from '../../history/list.ts'
import type { SessionItem } from '../../history/view/session-item.ts'
import type { Exporter, ExportJob } from '../exporter.ts'
import { masked } from '../masked.ts'
import { baseName } from '../names.ts'
import { BUNDLE_FORMAT, BUNDLE_VERSION, type BundledFile, isOfSession, type Manifest } from './format.ts'
import { cleanPieces } from './pieces.ts'

/**
 * A session with its whole family as one file that `annals import` opens elsewhere: JSON lines, packed with gzip. The first line
 * says what is in it; after it come the files one after the other, in pieces.
 */
export const bundle: Exporter = {
  extension: 'annals.gz',
  async *session(session, job) {
    const { library, files } = session
    const context = { ...job.context, library }
    const item = masked(job, await sessionItem(context, files))
    yield { name: `${baseName(item, job)}.annals.gz`, content: packed(session, item, job) }
  },
}

/**
 * The first line names the hash of every file, so all of them are packed before it is written. Each file is a gzip member of its
 * own: what unpacks one unpacks them all.
 */
async function* packed(
  session: FoundSession,
  { title, starred, note }: SessionItem,
  job: ExportJob,
): AsyncGenerator<Uint8Array> {
  const members: Uint8Array[] = []
  const listed: BundledFile[] = []
  const { context, redactor } = job
  for await (const { path, entry, source } of familyFiles(session, job)) {
    const file =
      entry === session.files.log ? packFile(path, entry, source, job) : packIfThere(path, entry, source, job)
    if (typeof file === 'string') context.warn({ file: entry.path, message: `It was left out of the bundle: ${file}.` })
    else {
      listed.push(file.listed)
      members.push(...file.members)
    }
  }
  const manifest: Manifest = {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    annals: context.version ?? null,
    session: session.files.id,
    title,
    exportedAt: context.now.toISOString(),
    redacted: redactor !== undefined,
    mark: starred || note !== null ? { starred, note } : null,
    files: listed,
  }
  yield gzipSync(`${JSON.stringify(manifest)}\n`)
  yield* members
}

interface PackedFile {
  readonly listed: BundledFile
  readonly members: readonly Uint8Array[]
}

/** Text that makes one gzip member: enough to pack well, little enough to hold. */
const MEMBER_CHARACTERS = 8 * 1024 * 1024

/** Packs a file; gives words where it cannot be handed on. */
function packFile(path: string, entry: SourceEntry, source: Source, job: ExportJob): PackedFile | string {
  const hash = createHash('sha256')
  const members: Uint8Array[] = []
  let bytes = 0
  let lines = ''
  for (const piece of cleanPieces(entry, source, path, job.redactor)) {
    if ('trouble' in piece) return piece.trouble
    const content = 'text' in piece ? Buffer.from(piece.text) : piece.bytes
    hash.update(content)
    bytes += content.length
    lines += `${JSON.stringify('text' in piece ? { path, text: piece.text } : { path, base64: content.toString('base64') })}\n`
    if (lines.length < MEMBER_CHARACTERS) continue
    members.push(gzipSync(lines))
    lines = ''
  }
  if (lines !== '') members.push(gzipSync(lines))
  const modifiedAt = new Date(entry.modifiedAt).toISOString()
  return { listed: { path, bytes, sha256: hash.digest('hex'), modifiedAt }, members }
}

/** Without its log there is no session; what else belongs to it may come and go. */
function packIfThere(path: string, entry: SourceEntry, source: Source, job: ExportJob): PackedFile | string {
  try {
    return packFile(path, entry, source, job)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error
    return 'it is gone'
  }
}

/** A file of a family: where it lies, and where it will. */
interface FamilyFile {
  readonly path: string
  readonly entry: SourceEntry
  readonly source: Source
}

/** The log and what lies with it, then what the root keeps of the session elsewhere; what only the archive has is there too. */
async function* familyFiles(session: FoundSession, job: ExportJob): AsyncGenerator<FamilyFile> {
  const { library, files } = session
  const { id, project } = files
  const log = await logOf(job.context, { ...session, agent: null })
  const below = `projects/${job.redactor?.text(project.key).text ?? project.key}`
  const pathOf = (entry: SourceEntry) =>
    entry.path.startsWith(project.dir) ? `${below}/${relativePath({ root: project.dir, path: entry.path })}` : undefined
  const agents = files.agents.flatMap((agent) => [agent.log, agent.meta])
  const own = [log, ...agents, ...files.toolResults, files.customTitle, ...files.others]
  // A log that was named by its path lies in no root: its folder stands for the project.
  const isRoot = log.path.startsWith(project.dir)
  for (const entry of own) {
    if (!entry) continue
    const path =
      entry === log
        ? `${below}/${id}.jsonl`
        : isRoot
          ? pathOf(entry)
          : `${below}/${relativePath({ root: files.root, path: entry.path })}`
    if (path !== undefined && isOfSession(path, id)) yield { path, entry, source: library.source }
  }
  if (isRoot) yield* elsewhere(session, job)
}

function* elsewhere({ library, files }: FoundSession, { context }: ExportJob): Generator<FamilyFile> {
  const { id, root, log } = files
  const slug = log && library.facts(log)?.facts.slug
  const isPlan = (name: string) => slug && (name === `${slug}.md` || name.startsWith(`${slug}-agent-`))
  const include = (path: string) => {
    const [top = '', second = ''] = path.split('/')
    if (path.endsWith('/')) return second === '' ? ELSEWHERE.has(top) : second === id
    return ELSEWHERE.has(top) && isOfSession(path, id) && (top !== 'plans' || isPlan(second))
  }
  const open = context.dataDir === undefined ? diskSource : withArchive(archiveFolder(context.dataDir))
  const source = open([root], { include: (path) => Boolean(include(path)) })
  try {
    for (const entry of [...source.list()]) yield { path: relativePath(entry), entry, source }
  } finally {
    source.close()
  }
}

const ELSEWHERE = new Set(['file-history', 'todos', 'tasks', 'plans'])
