import { stringAt } from '../../core/json.ts'
import type { Context } from '../../history/context.ts'
import { removeLetters } from '../dead-letters.ts'
import { collectFolder } from '../machine.ts'
import { type CollectState, rememberedStates } from '../state.ts'
import { tombstoneOf } from '../tombstone.ts'

/** A destination that a session was collected to. */
export interface CollectedTo {
  readonly destination: string
  /** What removes it there. */
  readonly run: string
  /** It has been told before: nothing of the session is there any more. */
  readonly isTold: boolean
}

/** Removes what the collector keeps of a session here, and tells where it has gone. */
export function purgeCollected(
  { dataDir }: Context,
  session: string,
  paths: readonly string[],
): { readonly letters: number; readonly collected: readonly CollectedTo[] } {
  if (dataDir === undefined) return { letters: 0, collected: [] }
  const folder = collectFolder(dataDir)
  const known = new Set(paths)
  const isOwn = (path: string) => known.has(path) || path.includes(session)
  const sent = rememberedStates(folder).map((state) => {
    return { state, files: state.tracked.filter(({ cursor }) => isOwn(cursor.path)).map(({ file }) => file) }
  })
  const files = new Set(sent.flatMap((one) => one.files))
  const letters = removeLetters(folder, (letter) => {
    const file = stringAt(letter, 'file') ?? ''
    return stringAt(letter, 'session') === session || files.has(file) || file.includes(session)
  })
  return {
    letters,
    collected: sent.filter((one) => one.files.length > 0).map(({ state }) => collectedTo(state, session)),
  }
}

function collectedTo({ destination, tombstones, choices }: CollectState, session: string): CollectedTo {
  const isStore = /^postgres(ql)?:/.test(destination)
  // As it was chosen before: nothing more may leave because something is removed.
  const flags = ['content', 'user', 'paths'].flatMap((name) => {
    const chosen = choices[name]
    return chosen === undefined ? [] : [`--${name}`, chosen]
  })
  const words = isStore ? ['purge', session, '--store', destination] : ['collect', '--to', destination, ...flags]
  return {
    destination,
    run: ['annals', ...words].map(shellWord).join(' '),
    isTold: tombstones.includes(tombstoneOf(session)),
  }
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
