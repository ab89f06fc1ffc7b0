import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Archive, amountOf, archiveFolder, readArchive, sessionsOf } from '../archive/archive.ts'
import { type ArchiveProblem, gravestProblems } from '../archive/problems.ts'
import { Failure } from '../core/failure.ts'
import { compareVersions, NEWEST_TESTED } from '../core/log/version.ts'
import { type Static, Type } from '../core/schema.ts'
import type { ProjectFiles } from '../disk/inventory.ts'
import { readLiveSessions } from '../disk/live.ts'
import { problemOf } from '../disk/regular-file.ts'
import { readRetention } from '../disk/retention.ts'
import { listSessionEnvs } from '../disk/session-env.ts'
import { compareIndex, readSessionsIndex } from '../disk/sessions-index.ts'
import { progressOf, unfinishedEdits, waysOut } from '../edit/unfinished.ts'
import { leftStages } from '../export/bundle/import-stages.ts'
import type { Context } from '../history/context.ts'
import { knownSessions } from '../history/find.ts'
import { NullableString } from '../history/shapes.ts'
import { isAuto } from '../history/sync-due.ts'
import { indexSize } from '../index/open.ts'
import { sqliteVersion } from '../index/sqlite.ts'
import { listDrafts } from '../state/drafts.ts'
import { isOpenToOthers } from '../state/private-file.ts'
import { defineOp } from './op.ts'

const CheckShape = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  detail: Type.String(),
  fix: NullableString,
  note: Type.Optional(Type.Boolean('For information: nothing is wrong')),
})

type Check = Static<typeof CheckShape>

export const doctor = defineOp({
  name: 'doctor',
  group: 'Look after',
  lists: 'checks',
  effort: 'long',
  summary: 'Look for problems and say how to fix them.',
  examples: ['annals doctor', 'annals doctor --root ~/.claude-work', 'annals doctor --json'],
  input: Type.Object({}),
  positional: [],
  result: Type.Object({ checks: Type.Array(CheckShape), ok: Type.Boolean() }),
  isTrouble: ({ ok }) => !ok,
  async run(context) {
    const { collectChecks } = await import('../collector/run/expiry-check.ts')
    const { missing } = context.library
    if (missing) return withoutHistory(context, missing)
    const { roots } = context.library
    const checks = [
      ...roots.flatMap((root) => [
        rootCheck(context, root),
        retentionCheck(root),
        permissionCheck(root),
        envCheck(context, root),
        liveCheck(root),
      ]),
      await versionCheck(context),
      ...indexChecks(context),
      ...ownFolderChecks(context),
      indexCheck(context),
      archiveCheck(context),
      leftoversCheck(context),
      ...editChecks(context),
      ...collectChecks(context),
      nodeCheck(),
    ]
    return { checks, ok: checks.every((check) => check.ok) }
  },
})

/** What can be looked at where there is no root. */
function withoutHistory(context: Context, missing: Failure): { checks: Check[]; ok: boolean } {
  const checks: Check[] = [
    { name: 'root', ok: false, detail: missing.message, fix: missing.hint ?? null },
    ...ownFolderChecks(context),
    indexCheck(context),
    archiveCheck(context),
    nodeCheck(),
  ]
  return { checks, ok: false }
}

function rootCheck({ library }: Context, root: string): Check {
  const sessions = library
    .projects()
    .filter((project) => project.root === root)
    .flatMap((project) => project.sessions)
  const logs = sessions.filter((session) => session.log).length
  const detail = logs > 0 ? `${root} has ${plural(logs, 'session log')}.` : `${root} has no session logs.`
  return {
    name: 'root',
    ok: logs > 0,
    detail,
    fix: logs > 0 ? null : 'Set CLAUDE_CONFIG_DIR or name another with --root.',
  }
}

function retentionCheck(root: string): Check {
  const { days, setIn } = readRetention(root)
  const where = setIn ? `set in ${setIn}` : 'the default'
  const ok = days >= 30
  const detail = `Claude Code deletes logs ${plural(days, 'day')} after they were last written (cleanupPeriodDays, ${where}).`
  return {
    name: 'retention',
    ok,
    detail,
    fix: ok ? null : `Raise cleanupPeriodDays in ${setIn ?? `${root}/settings.json`}.`,
  }
}

/** Logs hold what people typed and what their files say: others on the machine should not read them. */
function permissionCheck(root: string): Check {
  const stats = statSync(root, { throwIfNoEntry: false })
  const isOpen = process.platform !== 'win32' && stats !== undefined && (stats.mode & 0o004) !== 0
  const detail = isOpen ? `Everyone on this machine can read ${root}.` : `Only you can read ${root}.`
  return { name: 'permissions', ok: !isOpen, detail, fix: isOpen ? `chmod 700 ${root}` : null }
}

/** The client makes a folder at every start, and removes none: those of sessions that are gone are left over. */
function envCheck({ library }: Context, root: string): Check {
  const { items } = listSessionEnvs(root)
  const sessions = new Set(library.sessions().flatMap((session) => (session.root === root ? session.id : [])))
  const left = items.filter(({ session }) => !sessions.has(session))
  const full = items.filter((item) => !item.isEmpty).length
  if (items.length === 0)
    return { name: 'session-env', ok: true, detail: 'No session-env folders.', fix: null, note: true }
  const counted = `${plural(items.length, 'session-env folder')} (${full === 0 ? 'empty' : `${full} not empty`})`
  if (left.length === 0) return { name: 'session-env', ok: true, detail: `${counted}.`, fix: null, note: true }
  const named = left.slice(0, NAMED).map(({ session }) => session)
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : ''
  const detail = `${counted}; ${left.length} ${left.length === 1 ? 'belongs' : 'belong'} to no session: ${named.join(', ')}${more}.`
  const fix = `Delete ${left.length === 1 ? 'it' : 'them'} from ${root}/session-env if you no longer need what hooks left there.`
  return { name: 'session-env', ok: true, detail, fix, note: true }
}

const NAMED = 5

function liveCheck(root: string): Check {
  const { items } = readLiveSessions(root)
  const stale = items.filter((item) => !item.alive)
  const alive = items.length - stale.length
  const left = stale.length === 0 ? '' : `, ${stale.length} left behind by clients that did not clean up`
  const detail = `${alive === 0 ? 'None' : alive} running${left}.`
  return { name: 'live sessions', ok: true, detail, fix: null, note: true }
}

/** None where the index cannot be asked: another check says why. */
async function versionsIn(context: Context): Promise<readonly string[]> {
  try {
    const versions = (await knownSessions(context)).flatMap(({ info }) => info.version ?? [])
    return [...new Set(versions)].sort(compareVersions)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return []
  }
}

async function versionCheck(context: Context): Promise<Check> {
  const versions = await versionsIn(context)
  const newest = versions.at(-1)
  if (!newest)
    return { name: 'client versions', ok: true, detail: 'No log names a client version.', fix: null, note: true }
  const ok = compareVersions(newest, NEWEST_TESTED) <= 0
  const range = versions.length === 1 ? newest : `${versions[0]} to ${newest}`
  const detail = `Logs of ${range}; annals is tested up to ${NEWEST_TESTED}.`
  return {
    name: 'client versions',
    ok,
    detail,
    fix: ok ? null : 'Run `annals check` to see what is new in the format.',
  }
}

/** Whether the folders of annals can be read and written; those that are not there yet, whether they can be made. */
function ownFolderChecks({ configDir, cacheDir, dataDir }: Context): readonly Check[] {
  const folders = new Set([dataDir, cacheDir, configDir].filter((folder) => folder !== undefined))
  return [...folders].map((folder) => {
    const trouble = troubleAt(folder)
    const detail = trouble ?? `${folder} is writable.`
    const fix = trouble === undefined ? null : 'Set ANNALS_HOME to a folder of your own, or make this one writable.'
    return { name: 'own folder', ok: trouble === undefined, detail, fix }
  })
}

/** Edits that were interrupted: their sessions are partly changed. */
function editChecks({ dataDir }: Context): readonly Check[] {
  const open = dataDir === undefined ? [] : unfinishedEdits(dataDir)
  return open.map((entry) => {
    const detail = `Edit ${entry.id} (${entry.summary}) was interrupted. ${progressOf(entry)}`
    return { name: 'edits', ok: false, detail, fix: waysOut(entry) }
  })
}

/** What killed imports and exports have left. */
function leftoversCheck({ dataDir, library, now }: Context): Check {
  const drafts = dataDir === undefined ? [] : listDrafts(dataDir)
  const dead = drafts.filter(({ path, writer }) => writer === undefined && existsSync(path)).map(({ path }) => path)
  const left = [...new Set([...dead, ...leftStages(dataDir, library.roots, now)])]
  const ok = left.length === 0
  const detail = ok ? 'No unfinished files.' : `Interrupted imports or exports left ${left.join(', ')}.`
  return { name: 'leftovers', ok, detail, fix: ok ? null : 'Delete it, or leave it to the next import or purge.' }
}

function troubleAt(folder: string): string | undefined {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (!stats) return dirname(folder) === folder ? undefined : troubleAt(dirname(folder))
    if (!stats.isDirectory()) return `${folder} is a file, not a folder.`
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const isReadOnly = error instanceof Error && 'code' in error && error.code === 'EROFS'
    const reason = isReadOnly ? 'the disk is read-only.' : problemOf(error).message
    return `${folder} cannot be used: ${reason}`
  }
}

function indexCheck({ cacheDir }: Context): Check {
  try {
    const size = cacheDir === undefined ? 0 : indexSize(cacheDir)
    const where = size === 0 ? 'no index yet; the first command builds it' : `${sizeText(size)} in ${cacheDir}`
    return { name: 'index', ok: true, detail: `SQLite ${sqliteVersion()}; ${where}.`, fix: null, note: size === 0 }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name: 'index', ok: false, detail: error.message, fix: error.hint ?? null }
  }
}

function indexChecks({ library }: Context): readonly Check[] {
  return library
    .projects()
    .filter((project) => project.sessionsIndex)
    .map(sessionsIndexCheck)
}

function sessionsIndexCheck(project: ProjectFiles): Check {
  const { items } = readSessionsIndex(project.dir)
  const onDisk = new Map(project.sessions.flatMap(({ id, log }) => (log ? [[id, log.modifiedAt]] : [])))
  const { missingOnDisk, notInIndex, stale } = compareIndex(items, onDisk)
  const ok = missingOnDisk.length + notInIndex.length + stale.length === 0
  const detail =
    `${project.dir}/sessions-index.json: ${items.length} entries, ${missingOnDisk.length} without a log, ` +
    `${notInIndex.length} sessions missing, ${stale.length} out of date. annals does not rely on it.`
  return {
    name: 'sessions-index',
    ok,
    detail,
    fix: ok ? null : 'Nothing to do: newer versions of Claude Code no longer write it.',
  }
}

/** Whether the archive can be read and is all there; whether every byte is right, `archive verify` tells. */
function archiveCheck({ dataDir }: Context): Check {
  const name = 'archive'
  const none = 'Nothing is kept yet: sessions that Claude Code deletes are lost.'
  if (dataDir === undefined) return { name, ok: true, detail: none, fix: null, note: true }
  try {
    const archive = readArchive(archiveFolder(dataDir))
    const { manifest, objects, folder } = archive
    const { files, bytesRaw, bytesStored } = amountOf(manifest.state.files.values())
    const [gravest, ...others] = lastingProblems(archive)
    if (files === 0 && !gravest) {
      return { name, ok: true, detail: none, fix: 'Run `annals keep`, or `annals keep --auto`.', note: true }
    }
    const missing = new Set([...manifest.state.frames()].filter(({ frame }) => !objects.has(frame)))
    const isOpen = [folder, manifest.path].some(isOpenToOthers)
    const kept = `${plural(sessionsOf(archive).length, 'session')}, ${plural(files, 'file')}, ${sizeText(bytesRaw)} stored as ${sizeText(bytesStored)}`
    const more = others.length > 0 ? ` And ${others.length} more.` : ''
    const flaws = [
      gravest ? `${gravest.file}: ${gravest.message}${more}` : '',
      !gravest && manifest.damage.length > 0 ? `${folder}: its manifest is damaged, but can still be read.` : '',
      missing.size > 0 ? `${folder}: ${plural(missing.size, 'piece')} of files missing.` : '',
      isOpen ? `${folder}: others on this machine can read it.` : '',
    ].filter((flaw) => flaw !== '')
    const ok = flaws.length === 0
    const by = isAuto(dataDir) ? 'kept automatically' : 'kept when you run `annals keep`'
    const detail = ok ? `${folder}: ${kept}; ${by}.` : flaws.join(' ')
    return { name, ok, detail, fix: ok ? null : 'Run `annals keep verify --repair`.' }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name, ok: false, detail: error.message, fix: error.hint ?? null }
  }
}

/** Another process may write meanwhile: what it touches is wrong in one look only. */
function lastingProblems(archive: Archive): readonly ArchiveProblem[] {
  const problems = gravestProblems(archive)
  if (problems.length === 0) return []
  const again = new Set(gravestProblems(readArchive(archive.folder)).map(({ file }) => file))
  return problems.filter(({ file }) => again.has(file))
}

function plural(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

function nodeCheck(): Check {
  return { name: 'node', ok: true, detail: `Node ${process.versions.node} on ${process.platform}.`, fix: null }
}
