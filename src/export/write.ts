import { resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import { familyBytes } from '../disk/inventory.ts'
import type { Context } from '../history/context.ts'
import type { FoundSession } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { familyEntries } from '../history/open.ts'
import type { ExportedSession, Exporter, ExportFile, ExportJob } from './exporter.ts'
import { safePath } from './names.ts'
import { fileOutlet, folderOutlet, type Outlet, type OutOptions, streamOutlet, type WrittenFile } from './out.ts'
import { isTable, type Target } from './target.ts'

/** A file of an export, and the session that it holds alone. */
interface MadeFile extends WrittenFile {
  readonly session: string | null
}

/** What an export came to. */
export interface Written {
  readonly out: string
  readonly files: MadeFile[]
  readonly sessions: number
  readonly problems: { readonly file: string; readonly message: string }[]
}

/** Writes sessions to where they shall go: all of them whole, or nothing. */
export async function writeSessions(
  writer: Exporter,
  sessions: readonly FoundSession[],
  job: ExportJob,
  target: Target,
  options: OutOptions,
): Promise<Written> {
  const outlets = openOutlets(target, job.context, options)
  try {
    const made = await (isTable(writer, sessions.length)
      ? writeTable(writer, sessions, job, outlets)
      : writeEach(writer, sessions, job, outlets))
    outlets.commit()
    return { out: outlets.path(), ...made }
  } catch (error) {
    outlets.abandon()
    throw error
  }
}

type Outlets = ReturnType<typeof openOutlets>

/** What is written to is opened with the first file: that one may say how it is called. */
function openOutlets(target: Target, { cwd }: Context, options: OutOptions) {
  let path = target.kind === 'stream' ? '-' : (target.path ?? '')
  let outlet: Outlet | undefined
  const opened = ({ name }: ExportFile): Outlet => {
    if (target.kind === 'stream') return streamOutlet(target.write)
    if (target.kind === 'folder') return folderOutlet(target.path, options)
    path = target.path ?? resolve(cwd, safePath(name).split('/').at(-1) ?? '')
    return fileOutlet(path, options)
  }
  return {
    isFolder: target.kind === 'folder',
    path: () => path,
    async write(file: ExportFile): Promise<WrittenFile> {
      outlet ??= opened(file)
      return outlet.write(file)
    },
    commit: () => outlet?.commit(),
    abandon: () => outlet?.abandon(),
  }
}

type Made = Omit<Written, 'out'>

async function writeTable(
  writer: Exporter,
  sessions: readonly FoundSession[],
  job: ExportJob,
  outlets: Outlets,
): Promise<Made> {
  const files: MadeFile[] = []
  let stage = ''
  // A table is made of all sessions, and each table goes through them again.
  const counted = { [Symbol.iterator]: () => withProgress(sessions, job.context, () => stage) }
  for await (const file of writer.table?.(counted, job) ?? []) {
    stage = file.name
    files.push({ ...(await outlets.write(file)), session: null })
    if (!outlets.isFolder) break
  }
  return { files, sessions: sessions.length, problems: [] }
}

async function writeEach(
  writer: Exporter,
  sessions: readonly FoundSession[],
  job: ExportJob,
  outlets: Outlets,
): Promise<Made> {
  const files: MadeFile[] = []
  const problems: { readonly file: string; readonly message: string }[] = []
  const done: ExportedSession[] = []
  for (const session of { [Symbol.iterator]: () => withProgress(sessions, job.context) }) {
    const { id, log } = session.files
    try {
      const own = await writeOne(writer, session, job, outlets)
      files.push(...own.files.map((file) => ({ ...file, session: id })))
      if (own.exported) done.push(own.exported)
    } catch (error) {
      // A log that vanishes meanwhile stops nobody else's; a place that cannot be written stops all.
      const isItsOwn = error instanceof Failure && error.code !== 'CANNOT_WRITE'
      if (!isItsOwn || sessions.length === 1) throw error
      problems.push({ file: log?.path ?? id, message: error.message })
    }
  }
  if (outlets.isFolder && writer.index && done.length > 0) {
    files.push({ ...(await outlets.write(writer.index(done, job))), session: null })
  }
  return { files, sessions: sessions.length - problems.length, problems }
}

async function writeOne(
  writer: Exporter,
  session: FoundSession,
  job: ExportJob,
  outlets: Outlets,
): Promise<{ readonly files: readonly WrittenFile[]; readonly exported: ExportedSession | undefined }> {
  const files: WrittenFile[] = []
  let exported: ExportedSession | undefined
  const { library, files: own } = session
  await historyOf({ ...job.context, library }).fetchLogs([
    ...familyEntries(own),
    ...own.toolResults,
    own.customTitle,
    ...own.others,
  ])
  for await (const file of writer.session?.(session, job) ?? []) {
    files.push(await outlets.write(file))
    if (file.item) exported ??= { name: safePath(file.name), item: file.item }
    if (!outlets.isFolder) break
  }
  return { files, exported }
}

function* withProgress(
  sessions: readonly FoundSession[],
  { progress }: Context,
  stage?: () => string,
): Generator<FoundSession> {
  const total = sessions.reduce((sum, { files }) => sum + familyBytes(files), 0)
  let done = 0
  for (const session of sessions) {
    yield session
    done += familyBytes(session.files)
    progress(done, total, stage?.())
  }
}
