import { join } from 'node:path'

/** The folders that annals writes to. */
export interface OurFolders {
  /** Where settings lie. */
  readonly configDir: string
  /** Where what cannot be made again is kept: the archive. */
  readonly dataDir: string
  /** Where what can be made again is kept. */
  readonly cacheDir: string
}

/** The folders of annals for a person: all in `ANNALS_HOME` where that is set, else where the system wants them. */
export function ourFolders(env: Readonly<Record<string, string | undefined>>, home: string): OurFolders {
  const folder = (named: string | undefined, ...usual: readonly string[]) =>
    env.ANNALS_HOME || join(named || join(home, ...usual), 'annals')
  return {
    configDir: folder(env.XDG_CONFIG_HOME, '.config'),
    dataDir: folder(env.XDG_DATA_HOME, '.local', 'share'),
    cacheDir: folder(env.XDG_CACHE_HOME, '.cache'),
  }
}
