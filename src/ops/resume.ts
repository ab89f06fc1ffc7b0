import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { archiveFolder, filesOf, readArchive } from '../archive/archive.ts'
import { restoreFiles } from '../archive/restore.ts'
import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Context } from '../history/context.ts'
import { findSession, knownSessions, newestFirst } from '../history/find.ts'
import { logOf } from '../history/gone.ts'
import { NullableString, nullable } from '../history/shapes.ts'
import { defineOp } from './op.ts'

export const resume = defineOp({
  name: 'resume',
  group: 'Keep',
  // What only the archive has is put back first.
  changes: true,
  summary: 'Continue a session: `claude --resume` in its folder.',
  examples: ['annals resume last', 'annals resume token refresh', 'annals resume 3f9a --print'],
  input: Type.Object({
    session: Type.Array(Type.String(), {
      description: 'A session, or words of its title; agent-<id> resumes its session',
      minItems: 1,
    }),
    print: Type.Optional(Type.Boolean('Only print the command')),
  }),
  positional: ['session'],
  result: Type.Object({
    session: Type.String(),
    title: NullableString,
    cwd: NullableString,
    configDir: nullable(Type.String('Set as CLAUDE_CONFIG_DIR; null where Claude Code uses ~/.claude by itself')),
    command: Type.Array(Type.String()),
    print: Type.Boolean(),
  }),
  async run(context, input) {
    const { id, title, cwd, files, root } = await choose(context, input.session.join(' '))
    const isElsewhere = cwd !== null && !existsSync(cwd)
    if (isElsewhere && !input.print) {
      const hint = 'Resume works only from the folder a session was started in. Make it again, or use --print.'
      throw new Failure('CANNOT_RUN', `The session's folder ${cwd} is gone.`, { hint })
    }
    if (files?.log?.gone && !input.print) putBack(context, files)
    const configDir = root === null || root === join(context.home, '.claude') ? null : root
    return { session: id, title, cwd, configDir, command: ['claude', '--resume', id], print: input.print ?? false }
  },
})

/** What only the archive has is restored first: the client opens nothing else. */
function putBack({ dataDir, now }: Context, { id, root }: SessionFiles): void {
  if (dataDir === undefined) return
  const archive = readArchive(archiveFolder(dataDir))
  restoreFiles(archive, filesOf(archive, id, root), { now })
}

async function choose(context: Context, name: string) {
  try {
    const found = await findSession(context, name)
    const { library, files } = found
    await logOf(context, { ...found, agent: null })
    const known = (await knownSessions({ ...context, library })).find((one) => one.files === files)
    // A log that lies outside of any root has none that the client would find it in.
    const root = library === context.library ? files.root : null
    return { id: files.id, title: known?.info.title ?? null, cwd: known?.info.project.path ?? null, files, root }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'SESSION_NOT_FOUND') throw error
    const words = name.toLowerCase().split(/\s+/)
    const [newest] = (await knownSessions(context))
      .filter(({ info }) => info.kind === 'conversation')
      .filter(({ info }) => words.every((word) => info.title?.toLowerCase().includes(word)))
      .sort((a, b) => newestFirst(a.info, b.info))
    if (!newest) throw error
    const { info, files } = newest
    return { id: info.id, title: info.title, cwd: info.project.path, files, root: files.root }
  }
}
