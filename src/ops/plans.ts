import { type Static, Type } from 'typebox'
import { stringAt } from '../core/json.ts'
import type { Place } from '../core/place.ts'
import { planOf } from '../core/tool-call.ts'
import { type AnsweredCall, ToolFold } from '../core/tool-fold.ts'
import type { LogFold } from '../disk/log-fold.ts'
import { readPlans } from '../disk/plans.ts'
import { defineOp } from './op.ts'
import { foldLogs } from './scan.ts'
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
    foldLogs(context, input, planFold, (found, { session, agent, entry }) => {
      for (const slug of found.slugs) slugs.set(slug, session.id)
      for (const { text, timestamp, accepted, place } of found.plans) {
        items.push({
          from: 'log',
          slug: null,
          title: titleOf(text),
          text,
          session: session.id,
          agent,
          timestamp,
          accepted,
          file: entry.path,
          ...place,
        })
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

/** The plans that one log holds, and the names of those that lie beside it. */
const planFold: LogFold<{ readonly slugs: readonly string[]; readonly plans: readonly LogPlan[] }> = {
  name: 'plans 1',
  begin() {
    const fold = new ToolFold((name) => name === 'ExitPlanMode' || name === 'exit_plan_mode')
    const slugs = new Set<string>()
    return {
      record(record) {
        const slug = stringAt(record.raw, 'slug')
        if (slug !== undefined) slugs.add(slug)
        fold.add(record)
      },
      end: () => ({ slugs: [...slugs], plans: fold.calls().flatMap(toPlan) }),
    }
  },
}

interface LogPlan {
  readonly text: string
  readonly timestamp: string | null
  readonly accepted: boolean | null
  readonly place: Omit<Place, 'file'>
}

function toPlan({ input, answer, timestamp, place, isError }: AnsweredCall): readonly LogPlan[] {
  const text = planOf(input, answer)
  const { line, offset, length } = place
  return text ? [{ text, timestamp, accepted: answer ? !isError : null, place: { line, offset, length } }] : []
}

function titleOf(text: string): string | null {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '')
  return line?.replace(/^#+\s*/, '').trim() ?? null
}
