import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { keyMatches, projectKey } from '../core/encode.ts'
import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import { keyOfFiles } from '../history/families.ts'
import { findSession, knownSessions, newestFirst } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { NullableString, nullable } from '../history/shapes.ts'
import { defineOp } from './op.ts'

export const path = defineOp({
  name: 'path',
  summary: 'Show where the logs of a folder or a session are.',
  examples: ['annals path', 'annals path ~/code/api', 'annals path --session last'],
  input: Type.Object({
    path: Type.Optional(Type.String('A working folder (default: this one)')),
    session: Type.Optional(Type.String('A session or an agent instead of a folder')),
  }),
  positional: ['path'],
  result: Type.Object({
    path: NullableString,
    key: Type.String(),
    dir: Type.String(),
    exists: Type.Boolean(),
    latestSession: NullableString,
    file: NullableString,
    project: nullable(Type.Object({ key: Type.String(), path: NullableString })),
  }),
  async run(context, input) {
    if (input.session !== undefined) {
      const { library, files, agent } = await findSession(context, input.session)
      const queries = await historyOf({ ...context, library }).refresh()
      const cwd = (await queries.sessions.infos([files.id])).get(keyOfFiles(files))?.project.path ?? null
      const { key } = files.project
      const file = (agent?.log ?? files.log)?.path ?? null
      const dir = file ? dirname(file) : files.project.dir
      return { path: cwd, key, dir, exists: file !== null, latestSession: files.id, file, project: { key, path: cwd } }
    }
    const folder = resolve(context.cwd, input.path ?? '.')
    const found = context.library.projects().filter((project) => keyMatches(project.key, folder))
    const [latest] = (await knownSessions(context))
      .filter(({ info, files }) => info.kind === 'conversation' && found.some(({ dir }) => dir === files.project.dir))
      .sort((a, b) => newestFirst(a.info, b.info))
    if (found.length === 0 && !existsSync(folder)) {
      const hint = 'Name a working folder, or a session with --session.'
      throw new Failure('NOT_FOUND', `There is no folder ${folder}, and there are no logs of it.`, { hint })
    }
    const key = found[0]?.key ?? projectKey(folder)
    const dir = found[0]?.dir ?? join(context.library.roots[0] ?? '', 'projects', key)
    const exists = existsSync(dir)
    return { path: folder, key, dir, exists, latestSession: latest?.info.id ?? null, file: null, project: null }
  },
})
