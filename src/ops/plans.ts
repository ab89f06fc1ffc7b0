import { type Static, Type } from 'typebox'
import { stringAt } from '../core/json.ts'
import { planOf } from '../core/tool-call.ts'
import { ToolFold } from '../core/tool-fold.ts'
import { readPlans } from '../disk/plans.ts'
import { defineOp } from './op.ts'
import { scanLogs } from './scan.ts'
import { NullableNumber, NullableString, scopeInput } from './shapes.ts'

const PlanItem = Type.Object({
  from: Type.String({ description: 'plans (a file in plans/) or log (an ExitPlanMode call)' }),
  slug: NullableString,
  title: NullableString,
  text: Type.String(),
  session: NullableString,
  agent: NullableString,
  timestamp: NullableString,
  accepted: Type.Union([Type.Boolean(), Type.Null()]),
  file: Type.String(),
  line: NullableNumber,
  offset: NullableNumber,
  length: NullableNumber,
})

export const plans = defineOp({
  name: 'plans',
  summary: 'List plans: the files in plans/, and those inside logs.',
  examples: ['annals plans', 'annals plans last', 'annals plans --here'],
  input: Type.Object({
    session: Type.Optional(Type.String({ description: 'Only plans of this session' })),
    ...scopeInput,
  }),
  positional: ['session'],
  result: Type.Object({ items: Type.Array(PlanItem), total: Type.Integer() }),
  run(context, input) {
    const items: Static<typeof PlanItem>[] = []
    const slugs = new Map<string, string>()
    scanLogs(context, input, ({ session, agent }) => {
      const fold = new ToolFold((name) => name === 'ExitPlanMode' || name === 'exit_plan_mode')
      return {
        record: (record) => {
          const slug = stringAt(record.raw, 'slug')
          if (slug !== undefined) slugs.set(slug, session.id)
          fold.add(record)
        },
        end: () => {
          for (const { input: asked, answer, timestamp, place, isError } of fold.calls()) {
            const text = planOf(asked, answer)
            if (!text) continue
            const accepted = answer ? !isError : null
            items.push({
              from: 'log',
              slug: null,
              title: titleOf(text),
              text,
              session: session.id,
              agent,
              timestamp,
              accepted,
              ...place,
            })
          }
        },
      }
    })
    const isEverything = input.session === undefined
    for (const root of context.library.roots) {
      const found = readPlans(root)
      for (const warning of found.warnings) context.warn(warning)
      for (const plan of found.items) {
        const session = slugs.get(plan.slug) ?? null
        if (!isEverything && session === null) continue
        items.push({
          from: 'plans',
          slug: plan.slug,
          title: plan.title,
          text: plan.text,
          session,
          agent: null,
          timestamp: plan.modifiedAt,
          accepted: null,
          file: plan.file,
          line: null,
          offset: null,
          length: null,
        })
      }
    }
    items.sort((a, b) => ((a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1))
    return { items, total: items.length }
  },
})

function titleOf(text: string): string | null {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '')
  return line?.replace(/^#+\s*/, '').trim() ?? null
}
