import { Type } from 'typebox'
import { projectPath } from '../disk/library.ts'
import { readMemory } from '../disk/memory.ts'
import { defineOp } from './op.ts'
import { inScope } from './scope.ts'
import { NullableString, nullable, scopeInput } from './shapes.ts'

export const memory = defineOp({
  name: 'memory',
  summary: 'List what the client remembers of each project.',
  examples: ['annals memory', 'annals memory --here'],
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
  run(context, input) {
    const { library } = context
    const fits = inScope(input, context.cwd)
    const isEverything = input.project === undefined && input.under === undefined && !input.here
    const found = readMemory(library.beside)
    for (const warning of found.warnings) context.warn(warning)
    const items = found.items.flatMap(({ root, project: key, agent, name, file, sizeBytes, modifiedAt, text }) => {
      const files = library.projects().find((one) => one.root === root && one.key === key)
      const cwds = files?.sessions.map((one) => (one.log && library.glance(one.log)?.facts.cwd) ?? null)
      const project = key === null ? null : { key, path: projectPath(key, cwds ?? []) }
      if (!isEverything && !(project && fits(project))) return []
      return [{ name, project, agent, session: null, file, sizeBytes, modifiedAt, text }]
    })
    return { items, total: items.length }
  },
})
