import { archiveFolder } from '../../archive/archive.ts'
import { withArchive } from '../../archive/archive-source.ts'
import { Failure } from '../../core/failure.ts'
import { expiresAt, readRetention } from '../../disk/retention.ts'
import type { Source } from '../../disk/source.ts'
import type { Context } from '../../history/context.ts'
import { usualChoices } from '../choices.ts'
import { isCollectedPath } from '../collected-files.ts'
import { ignoreTest } from '../ignore.ts'
import { collectFolder } from '../machine.ts'
import { type CollectSettings, readCollectSettings } from '../settings.ts'
import { destinationOf } from '../sinks/open.ts'
import { type CollectState, rememberedStates, StateFile } from '../state.ts'
import { type Behind, hasWholeLine, logsBehind } from './behind.ts'
import { ownRoots } from './setup.ts'

/** What was looked at, and what to do where it is not well. */
export interface CollectCheck {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  readonly fix: string | null
}

const NAME = 'collect'
const DAY_MS = 86_400_000
/** How long before the client deletes a log it has to be delivered. */
const AHEAD_DAYS = 7

/** Whether logs will be deleted before they were delivered, for each destination that is set or was used of late. */
export function collectChecks(context: Context): readonly CollectCheck[] {
  const { configDir, dataDir, home, library, now, warn } = context
  if (dataDir === undefined) return []
  try {
    const settings = readCollectSettings(configDir)
    const states = destinationStates(context, settings, collectFolder(dataDir))
    if (states.length === 0) return []
    const include = (path: string) => isCollectedPath(path, usualChoices(false))
    const source = withArchive(archiveFolder(dataDir))(ownRoots(library.roots, dataDir), { include, onProblem: warn })
    try {
      const isIgnored = ignoreTest(settings.ignore, home)
      return states.map((state) => expiryCheck(source, state, logsBehind(source, state, isIgnored), now))
    } finally {
      source.close()
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name: NAME, ok: false, detail: error.message, fix: error.hint ?? null }]
  }
}

/** The destination of the settings, and those that were delivered to while what was written then may still be there. */
function destinationStates(
  { cwd, home, library, now }: Context,
  { to }: CollectSettings,
  folder: string,
): readonly CollectState[] {
  const set = to === undefined ? undefined : destinationOf(to, cwd, home).name
  const days = Math.max(...library.roots.map((root) => readRetention(root).days))
  const isLate = ({ savedAt }: CollectState) => now.getTime() - Date.parse(savedAt ?? '') < days * DAY_MS
  const others = rememberedStates(folder).filter((state) => state.destination !== set && isLate(state))
  return [...(set === undefined ? [] : [new StateFile(folder, set).read(set)]), ...others]
}

function expiryCheck(
  source: Source,
  { destination }: CollectState,
  behind: readonly Behind[],
  now: Date,
): CollectCheck {
  const days = new Map<string, number>()
  const soon = behind.flatMap((one) => {
    const { root, modifiedAt, kept, gone } = one.entry
    // What the archive has is delivered from there.
    if (kept || gone) return []
    const period = days.get(root) ?? readRetention(root).days
    days.set(root, period)
    const expires = expiresAt(modifiedAt, period)
    const ahead = Math.min(AHEAD_DAYS, period / 2) * DAY_MS
    return Date.parse(expires) - now.getTime() < ahead && hasWholeLine(source, one) ? [expires] : []
  })
  const first = soon.sort()[0]
  if (first === undefined) {
    const left =
      behind.length === 0 ? 'Nothing is behind' : `${logs(behind.length)} behind, none of them about to be deleted`
    return { name: NAME, ok: true, detail: `${left} at ${destination}.`, fix: null }
  }
  const when = Date.parse(first) < now.getTime() ? 'at its next start' : `from ${first.slice(0, 10)} on`
  return {
    name: NAME,
    ok: false,
    detail: `${logs(soon.length)} not yet at ${destination}, and Claude Code deletes ${soon.length === 1 ? 'it' : 'them'} ${when}.`,
    fix: 'Run `annals collect` as before, or `annals keep`: what the archive has can be delivered later.',
  }
}

function logs(count: number): string {
  return count === 1 ? '1 log is' : `${count} logs are`
}
