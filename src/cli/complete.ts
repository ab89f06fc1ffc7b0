import { homedir } from 'node:os'
import tab, { script } from '@bomb.sh/tab'
import { Failure } from '../core/failure.ts'
import { openLibrary } from '../history/compose.ts'
import { importedRoots } from '../history/imported-roots.ts'
import { rememberedSessions } from '../history/list.ts'
import { loadAll } from '../ops/index.ts'
import { fieldsOf } from '../ops/input.ts'
import { ourFolders } from '../state/folders.ts'
import { commands } from './commands.ts'
import { COMPLETION_SCRIPTS } from './completion-scripts.ts'
import { rootsOf } from './environment.ts'
import { flagsOf, GLOBAL_FLAGS } from './flags.ts'
import { ownCommands } from './own-commands.ts'
import { oneLine } from './terminal/sanitize.ts'

/** Arguments that name sessions. */
const SESSIONS: ReadonlySet<string> = new Set(['session', 'sessions', 'what'])

/** Prints the completion script of a shell, or answers one that asks what may come next. */
export async function complete(args: readonly string[]): Promise<number> {
  const [shell] = args
  if (shell === 'bash' || shell === 'zsh' || shell === 'fish') {
    process.stdout.write(COMPLETION_SCRIPTS[shell])
    return 0
  }
  if (shell === 'powershell') {
    script(shell, 'annals', 'annals')
    return 0
  }
  if (shell !== '--') {
    const message = shell === undefined ? 'Which shell?' : `There is no completion for "${shell}".`
    throw new Failure('USAGE', message, { hint: 'Name bash, zsh, fish or powershell: source <(annals complete bash)' })
  }
  const sessions = await offeredSessions()
  for (const op of [...Object.values(await loadAll(commands)), ...Object.values(ownCommands)]) {
    const command = tab.command(op.name, op.summary)
    for (const flag of [...flagsOf(op), ...GLOBAL_FLAGS]) {
      if (flag.kind === 'boolean') command.option(flag.name, flag.description)
      else
        command.option(flag.name, flag.description, (give) => {
          if (flag.name === 'session') for (const [value, title] of sessions) give(value, title)
          for (const choice of flag.choices) give(choice, '')
        })
    }
    const [first] = op.positional
    const choices = fieldsOf(op).find((field) => field.name === first)?.choices ?? []
    if (first !== undefined && SESSIONS.has(first))
      command.argument(first, (give) => {
        for (const [value, title] of sessions) give(value, title)
      })
    else if (choices.length > 0) {
      command.argument(first as string, (give) => {
        for (const choice of choices) give(choice, '')
      })
    }
  }
  tab.parse(args.slice(1))
  return 0
}

/** The newest sessions, by the start of their id, with their titles. Anything that goes wrong only means fewer suggestions. */
async function offeredSessions(): Promise<readonly (readonly [string, string])[]> {
  const last = ['last', 'the newest session'] as const
  try {
    const home = homedir()
    const { dataDir, cacheDir } = ourFolders(process.env, home)
    const nothing = () => {}
    const library = openLibrary(rootsOf([], process.env, home, importedRoots(dataDir)), nothing, dataDir, cacheDir)
    const known = await rememberedSessions({ library, cacheDir, now: new Date(), warn: nothing, progress: nothing })
    const titles = new Map(known.map(({ file, title }) => [file, title]))
    const newest = library.sessions().toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0))
    const offered = newest.slice(0, 20).map(({ id, log }) => {
      return [id.slice(0, 8), oneLine(titles.get(log?.path ?? '') ?? '').slice(0, 60)] as const
    })
    library.close()
    return [last, ...offered]
  } catch {
    return [last]
  }
}
