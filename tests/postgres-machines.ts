import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLibrary } from '../src/history/compose.ts'
import type { Context } from '../src/history/context.ts'
import { collect } from '../src/ops/collect.ts'

/** A made-up machine: a home of its own, with a root and what annals keeps. */
export interface MadeMachine {
  readonly home: string
  readonly root: string
  /** What an operation works with there. */
  context(roots?: readonly string[]): Context
  /** Delivers what is new. */
  collect(to: string, more?: Readonly<Record<string, unknown>>): ReturnType<typeof collect.run>
  remove(): void
}

/** Makes a machine; `write` fills its root. */
export function madeMachine(write: (root: string) => void): MadeMachine {
  const home = mkdtempSync(join(tmpdir(), 'annals-machine-'))
  const root = join(home, '.claude')
  write(root)
  const context = (roots: readonly string[] = [root]): Context => {
    const warn = () => {}
    const library = openLibrary(roots, warn)
    const dataDir = join(home, 'annals')
    const nothing = () => {}
    return {
      library,
      now: new Date(),
      cwd: home,
      home,
      configDir: dataDir,
      dataDir,
      currentSession: undefined,
      warn,
      progress: nothing,
    }
  }
  return {
    home,
    root,
    context,
    async collect(to, more = {}) {
      const using = context()
      try {
        return await collect.run(using, { to, ...more } as Parameters<typeof collect.run>[1])
      } finally {
        using.library.close()
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}
