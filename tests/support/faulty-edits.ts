import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EditedRoot, editedRoot, type Picture, pictureOf } from './edited-root.ts'
import { copyFolder } from './made-folder.ts'

const cli = join(import.meta.dirname, '../../dist/cli.cjs')

/** Why no fault can be injected at a system call here; empty where it can. */
export const refusal = refusalOf(spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' }))

function refusalOf({ error, status, stderr }: SpawnSyncReturns<string>): string {
  if (error) return 'strace is not installed'
  return status === 0 ? '' : `ptrace is refused: ${stderr.split('\n')[0]}`
}

export const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

/** A copy of the root, with state of its own. */
export interface Place {
  readonly root: string
  readonly state: string
}

/** What strace injects: a call, what becomes of it, and at which of the calls; only calls on some files, where they are named. */
export type Fault = string | { readonly fault: string; readonly files: readonly string[] }

/** Runs the built program on copies of one root, with faults injected at its system calls. */
export interface FaultyEdits {
  readonly made: EditedRoot
  annals(place: Place, args: readonly string[], inject?: Fault, flags?: readonly string[]): SpawnSyncReturns<string>
  /** A new copy, in which some commands were run before. */
  newPlace(before?: readonly (readonly string[])[]): Place
  /** What an edit may change: the root, and files of the working folder. */
  pictureIn(place: Place): Readonly<Record<string, string>>
}

export function faultyEdits(): FaultyEdits {
  const made = editedRoot((built, project) => {
    built.file('.claude.json', JSON.stringify({ projects: { [project]: { allowedTools: [] } } }, null, 2))
  })
  mkdirSync(join(made.folder, 'renamed'))
  const row = `${JSON.stringify({ type: 'queue-operation', operation: 'enqueue', content: `token ${SECRET}`, timestamp: '2026-03-02T09:00:00.000Z', sessionId: made.sessionId })}\n`
  const stat = statSync(made.log)
  writeFileSync(made.log, readFileSync(made.log, 'utf8') + row)
  utimesSync(made.log, stat.atime, stat.mtime)
  /** The ids of the sessions that are there from the beginning. */
  const known = new Set(Object.keys(made.picture()).flatMap((path) => path.match(UUID) ?? []))
  let rounds = 0

  const annals: FaultyEdits['annals'] = ({ root, state }, args, inject, flags = ['--no-index']) => {
    const command = [process.execPath, cli, ...args, '--root', root, ...flags]
    const { fault, files = [] } = typeof inject === 'string' ? { fault: inject } : (inject ?? { fault: '' })
    const traced = [
      '-e',
      `trace=${fault.split(':')[0]}`,
      '-e',
      `inject=${fault}`,
      ...files.flatMap((one) => ['-P', one]),
    ]
    const strace = fault === '' ? [] : ['strace', '-f', '-o', '/dev/null', ...traced]
    const [program, ...rest] = [...strace, ...command] as [string, ...string[]]
    const env = { PATH: process.env.PATH ?? '', HOME: made.folder, ANNALS_HOME: state }
    return spawnSync(program, rest, { encoding: 'utf8', env, cwd: made.project })
  }
  // Placeholders are those of one key.
  const scanned = annals({ root: made.root, state: made.dataDir }, ['redact', 'scan'])
  if (scanned.status !== 1) throw new Error(`redact scan: ${scanned.stderr}`)

  return {
    made,
    annals,
    newPlace(before = []) {
      const folder = join(made.folder, `round-${rounds++}`)
      copyFolder(made.root, join(folder, 'root'))
      const place = { root: join(folder, 'root'), state: join(folder, 'state') }
      copyFolder(made.dataDir, place.state)
      // The working folder is the same for all rounds, and begins each as a person left it.
      rmSync(made.project, { recursive: true })
      mkdirSync(made.project)
      writeFileSync(join(made.project, 'a.ts'), 'three\n')
      for (const args of before) {
        const { status, stderr } = annals(place, args)
        if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
      }
      return place
    },
    pictureIn: ({ root }) => plainly({ ...pictureOf(root), ...prefixed('work/', pictureOf(made.project)) }, known),
  }
}

function prefixed(prefix: string, picture: Picture): Picture {
  return Object.fromEntries(Object.entries(picture).map(([path, seen]) => [`${prefix}${path}`, seen]))
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** A picture in which the ids of new sessions do not matter: of their files only the sizes do. Only of logs that were there the time counts. */
function plainly(picture: Picture, known: ReadonlySet<string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(picture).map(([path, seen]) => {
      const [hash, size, mode, time] = seen.split(' ')
      const isNew = (path.match(UUID) ?? []).some((id) => !known.has(id))
      // The client sweeps logs by it: no edit may begin it anew.
      const isTimed = path.endsWith('.jsonl') && path.startsWith('projects/')
      return isNew
        ? [path.replace(UUID, 'new'), `${size} ${mode}`]
        : [path, `${hash} ${size} ${mode}${isTimed ? ` ${time}` : ''}`]
    }),
  )
}
