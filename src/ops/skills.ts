import { join } from 'node:path'
import { AGENT_TOOLS } from '../core/facts/agent-calls.ts'
import { textAt } from '../core/json.ts'
import { Type } from '../core/schema.ts'
import { type NamedUse, UseFold } from '../core/tools/uses.ts'
import { foldLogs, type LogFold } from '../history/scan.ts'
import { NullableString, nullable } from '../history/shapes.ts'
import { defineOp } from './op.ts'

export const skills = defineOp({
  name: 'skills',
  alsoIn: 'Find',
  effort: 'long',
  summary: 'List commands, skills and agents, and how often each was used.',
  examples: ['annals skills', 'annals skills --unused', 'annals skills review'],
  input: Type.Object({
    name: Type.Optional(Type.String('Only this one, in full')),
    unused: Type.Optional(Type.Boolean('Only those that were never used')),
  }),
  positional: ['name'],
  result: Type.Object({
    items: Type.Array(
      Type.Object({
        kind: Type.String('command, skill or agent'),
        name: Type.String(),
        group: NullableString,
        description: NullableString,
        path: Type.String(),
        color: nullable(Type.String('The colour of an agent, as its file says')),
        body: Type.String(),
        uses: Type.Integer(),
        lastUsed: NullableString,
      }),
    ),
    total: Type.Integer(),
  }),
  async run(context, input) {
    const { readDefinitions } = await import('../disk/definitions.ts')
    const fold = new UseFold()
    const folders = [
      ...context.library.roots.map((folder) => ({ folder, followLinks: true })),
      { folder: join(context.cwd, '.claude'), followLinks: false },
    ]
    const definitions = folders.flatMap(({ folder, followLinks }) => {
      const { items, warnings } = readDefinitions(folder, { followLinks })
      for (const warning of warnings) context.warn(warning)
      return items
    })
    if (definitions.length > 0) {
      await foldLogs(context, {}, USES, useFold, (uses) => fold.addAll(uses))
    }
    const items = definitions
      .map(({ kind, name, group, description, path, body, frontMatter }) => {
        const use = kind === 'agent' ? fold.ofAgent(name) : fold.ofCommand(name)
        const color = textAt(frontMatter, 'color') ?? null
        return { kind, name, group, description, path, color, body, uses: use.count, lastUsed: use.lastUsed }
      })
      .filter((item) => !input.unused || item.uses === 0)
      .filter(({ name }) => input.name === undefined || isCalled(name, input.name))
    return { items, total: items.length }
  },
})

/** By its name, in any case, also with the slash it is typed with. */
function isCalled(name: string, wanted: string): boolean {
  return name.toLowerCase() === wanted.replace(/^\//, '').toLowerCase()
}

/** The rows that use something. */
const USES = { kinds: ['command'], tools: ['Skill', 'SlashCommand', ...AGENT_TOOLS] }

/** What was used in one log. */
const useFold: LogFold<readonly NamedUse[]> = {
  begin() {
    const fold = new UseFold()
    return { record: (record) => fold.add(record), end: () => fold.all() }
  },
}
