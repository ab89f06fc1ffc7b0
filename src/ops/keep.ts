import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import type { Context } from '../history/context.ts'
import { archiveOf, archiveTotal, keepSessions } from '../history/keep-sessions.ts'
import { NullableString, nullable } from '../history/shapes.ts'
import { isAuto, setAuto } from '../history/sync-due.ts'
import { installService, removeService, type ServiceFiles, serviceFiles } from '../state/service.ts'
import { defineOp } from './op.ts'

const AmountShape = Type.Object({
  sessions: Type.Integer(),
  files: Type.Integer(),
  bytesRaw: Type.Integer(),
  bytesStored: Type.Integer(),
})

export const keep = defineOp({
  name: 'keep',
  group: 'Keep',
  reaches: {
    list: { command: 'archive', args: ['list'], summary: 'List what is kept, and what only the archive still has' },
    verify: { command: 'archive', args: ['verify'], summary: 'Check every byte; --repair fixes what it can' },
    restore: {
      command: 'archive',
      args: ['restore'],
      summary: 'Restore sessions where they were, or elsewhere with --to ROOT',
    },
    status: { command: 'archive', args: ['status'], summary: 'Show how much is kept, and where' },
  },
  changes: true,
  effort: 'long',
  summary: 'Keep sessions before Claude Code deletes them.',
  examples: [
    'annals keep',
    'annals keep --auto',
    'annals keep list',
    'annals keep verify',
    'annals keep restore 3f9a',
    'annals keep last',
    'annals keep --expiring',
  ],
  input: Type.Object({
    session: Type.Optional(
      Type.Array(Type.String(), 'Only these sessions (default: all); agent-<id> keeps its whole session'),
    ),
    expiring: Type.Optional(Type.Boolean('Only sessions that Claude Code deletes within a week')),
    auto: Type.Optional(
      Type.Boolean('Keep automatically from now on: every day, and what is about to expire with any command'),
    ),
    'no-auto': Type.Optional(Type.Boolean('Stop keeping automatically')),
    print: Type.Optional(Type.Boolean('With --auto: only show what would be written')),
    thorough: Type.Optional(Type.Boolean('Compare every byte, even if size and time are unchanged')),
  }),
  positional: ['session'],
  result: Type.Object({
    sessions: Type.Integer('Sessions of which something was taken now'),
    files: Type.Integer(),
    bytesRaw: Type.Integer('Bytes taken now'),
    bytesStored: Type.Integer('Bytes that the archive grew by'),
    problems: Type.Array(Type.Object({ file: Type.String(), message: Type.String() })),
    damage: Type.Array(
      Type.Object({ file: Type.String(), message: Type.String() }),
      'What is wrong with the archive itself: then nothing was kept, and it exits 1',
    ),
    items: Type.Array(
      Type.Object({
        session: Type.String(),
        root: Type.String(),
        files: Type.Integer(),
        bytesRaw: Type.Integer(),
        rewritten: Type.Boolean('A file had been rewritten: the old content is kept too'),
      }),
    ),
    archive: Type.Object({ folder: Type.String(), changedAt: NullableString, ...AmountShape.properties }),
    auto: Type.Object({
      on: Type.Boolean(),
      timer: nullable(
        Type.Object({
          files: Type.Array(Type.Object({ path: Type.String(), text: Type.String() })),
          run: Type.String('What to run to start or stop it now'),
          written: Type.Boolean(),
        }),
      ),
    }),
  }),
  isTrouble: ({ damage }) => damage.length > 0,
  async run(context, input) {
    const folder = archiveOf(context)
    if (input.auto && input['no-auto']) throw new Failure('USAGE', '--auto and --no-auto cannot be used together.')
    if (input.expiring && input.session) throw new Failure('USAGE', 'Name sessions or use --expiring, not both.')
    const wanted = input.expiring ? 'expiring' : (input.session ?? [])
    const timer = input.auto || input['no-auto'] ? timerOf(context) : undefined
    const isTrial = input.print === true && timer !== undefined
    if (timer && !isTrial) setTimer(context, timer, input.auto === true)
    const kept = isTrial || input['no-auto'] ? undefined : await keepSessions(context, wanted, thoroughly(input))
    return {
      sessions: kept?.items.length ?? 0,
      files: kept?.taken.length ?? 0,
      bytesRaw: kept?.bytesRaw ?? 0,
      bytesStored: kept?.bytesStored ?? 0,
      problems: kept?.problems.map(({ file, message }) => ({ file, message })) ?? [],
      damage: kept?.damage.map(({ file, message }) => ({ file, message })) ?? [],
      items: kept?.items.map((item) => ({ ...item })) ?? [],
      archive: { folder, ...archiveTotal(folder) },
      auto: {
        on: isAuto(context.dataDir as string),
        timer: timer
          ? {
              files: timer.files.map(({ path, text }) => ({ path, text })),
              run: input.auto ? timer.start : timer.stop,
              written: !isTrial,
            }
          : null,
      },
    }
  },
})

function thoroughly({ thorough }: { readonly thorough?: boolean | undefined }) {
  return thorough ? { thorough } : {}
}

function timerOf({ program, home, library, dataDir, cacheDir, rootsOnly }: Context): ServiceFiles {
  if (program === undefined || rootsOnly) {
    throw new Failure('CANNOT_RUN', 'A timer is set up from the command line.', { hint: 'Run `annals keep --auto`.' })
  }
  // All our folders in one place: that place was named.
  const env: Record<string, string> = dataDir !== undefined && dataDir === cacheDir ? { ANNALS_HOME: dataDir } : {}
  return serviceFiles({ name: 'keep', every: 'day', home, program, args: [], roots: library.roots, env })
}

function setTimer({ dataDir }: Context, timer: ServiceFiles, isOn: boolean): void {
  try {
    if (isOn) installService(timer)
    else removeService(timer)
    setAuto(dataDir as string, isOn)
  } catch (error) {
    const [first] = timer.files
    const reason = error instanceof Error && 'code' in error ? String(error.code) : ''
    const hint = 'Add --print to see what would be written, and start it in your own way.'
    throw new Failure('CANNOT_WRITE', `The timer ${first?.path} cannot be written (${reason}).`, { hint, cause: error })
  }
}
