import { homedir } from 'node:os'
import tab, { script } from '@bomb.sh/tab'
import { openLibrary } from '../history/compose.ts'
import { importedRoots } from '../history/imported-roots.ts'
import { rememberedSessions } from '../history/list.ts'
import { ourFolders } from '../state/folders.ts'
import { commands } from './commands.ts'
import { rootsOf } from './environment.ts'
import { flagsOf, GLOBAL_FLAGS } from './flags.ts'
import { oneLine } from './terminal/sanitize.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell']

/** Prints the completion script of a shell, or answers one that asks what may come next. */
export async function complete(args: readonly string[]): Promise<number> {
  const [shell] = args
  if (shell !== undefined && SHELLS.includes(shell)) {
    script(shell, 'annals', 'annals')
    return 0
  }
  if (shell !== '--') {
    process.stderr.write(
      `Name a shell: ${SHELLS.join(', ')}.\n  For example: annals complete bash > ~/.local/share/bash-completion/completions/annals\n`,
    )
    return 2
  }
  for (const load of Object.values(commands)) {
    const op = await load()
    const command = tab.command(op.name, op.summary)
    for (const flag of [...flagsOf(op), ...GLOBAL_FLAGS]) {
      if (flag.kind === 'boolean') command.option(flag.name, flag.description)
      else
        command.option(flag.name, flag.description, (give) => {
          for (const choice of flag.choices) give(choice, '')
        })
    }
    if (op.positional.includes('session')) command.argument('session', (give) => offerSessions(give))
  }
  tab.parse(args.slice(1))
  return 0
}

/** The newest sessions, by the start of their id. Anything that goes wrong only means fewer suggestions. */
function offerSessions(give: (value: string, description: string) => void): void {
  give('last', 'the newest session')
  try {
    const home = homedir()
    const dataDir = ourFolders(process.env, home).dataDir
    const nothing = () => {}
    const library = openLibrary(rootsOf([], process.env, home, importedRoots(dataDir)), nothing, dataDir)
    const cacheDir = ourFolders(process.env, home).cacheDir
    const known = rememberedSessions({ library, cacheDir, now: new Date(), warn: nothing, progress: nothing })
    const titles = new Map(known.map(({ file, title }) => [file, title]))
    const newest = library.sessions().toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0))
    for (const { id, log } of newest.slice(0, 20)) {
      give(id.slice(0, 8), oneLine(titles.get(log?.path ?? '') ?? '').slice(0, 60))
    }
    library.close()
  } catch {
    return
  }
}
