import { Type } from '../core/schema.ts'
import { isMemory, readMemory } from '../disk/memory.ts'
import { historyOf } from '../history/history.ts'
import { projectInfos } from '../history/projects.ts'
import { inScope, isEverything } from '../history/scope.ts'
import { NullableString, nullable, scopeInput } from '../history/shapes.ts'
import { defineOp } from './op.ts'

export const memory = defineOp({
  name: 'memory',
  alsoIn: 'Find',
  teamStore: 'read',
  summary: 'List what Claude Code remembers about each project.',
  examples: ['annals memory', 'annals memory --here', 'annals memory --json'],
  input: Type.Object({ ...scopeInput }),
  positional: [],
  result: Type.Object({
    items: Type.Array(
      Type.Object({
        name: Type.String(),
        project: nullable(Type.Object({ key: Type.String(), path: NullableString })),
        agent: NullableString,
        session: Type.Null(),
        file: Type.String(),
        sizeBytes: Type.Integer(),
        modifiedAt: NullableString,
        text: Type.String(),
      }),
    ),
    total: Type.Integer(),
  }),
  async run(context, input) {
    const { library } = context
    const fits = inScope(input, context.cwd)
    const infoOf = await projectInfos(historyOf(context))
    await historyOf(context).fetchBeside(isMemory)
    const found = readMemory(library.beside)
    for (const warning of found.warnings) context.warn(warning)
    const items = found.items.flatMap(({ root, project: key, agent, name, file, sizeBytes, modifiedAt, text }) => {
      const project = key === null ? null : { key, path: infoOf(root, key).path }
      if (!isEverything(input) && !(project && fits(project))) return []
      return [{ name, project, agent, session: null, file, sizeBytes, modifiedAt, text }]
    })
    return { items, total: items.length }
  },
})
