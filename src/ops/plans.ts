import type { Place } from '../core/log/place.ts'
import { type Static, Type } from '../core/schema.ts'
import { planOf } from '../core/tools/tool-call.ts'
import { type AnsweredCall, ToolFold } from '../core/tools/tool-fold.ts'
import { planTitle } from '../core/tools/tool-words.ts'
import { isPlan, readPlans } from '../disk/plans.ts'
import { mayHoldSecrets } from '../export/with-secrets.ts'
import { writeOut } from '../export/write-out.ts'
import type { Context } from '../history/context.ts'
import { historyOf } from '../history/history.ts'
import { foldLogs, type LogFold, logsOf, ofOneOf, type Whose } from '../history/scan.ts'
import { isEverything } from '../history/scope.ts'
import { NullableNumber, NullableString, scopeInput } from '../history/shapes.ts'
import type { LogNote } from '../index/queries/log-notes.ts'
import { defineOp } from './op.ts'

const PlanShape = Type.Object({
  from: Type.String('plans (a file in plans/) or log (an ExitPlanMode call)'),
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

type PlanItem = Static<typeof PlanShape>

const Input = Type.Object({
  session: Type.Optional(Type.String('Only plans of this session and its agents, or of agent-<id>')),
  ...scopeInput,
  newest: Type.Optional(Type.Boolean('Only the newest')),
  markdown: Type.Optional(Type.Boolean('Print Markdown, with secrets masked')),
  out: Type.Optional(Type.String('Write the Markdown to this file')),
  force: Type.Optional(Type.Boolean('With --out: overwrite an existing file')),
  'no-redact': Type.Optional(Type.Boolean('With --markdown or --out: leave secrets in')),
})

const Result = Type.Object({
  items: Type.Array(PlanShape),
  total: Type.Integer(),
  markdown: Type.Optional(Type.String()),
  written: Type.Optional(Type.String('With --out: the file')),
})

export const plans = defineOp({
  name: 'plans',
  alsoIn: 'Find',
  effort: 'long',
  teamStore: 'read',
  summary: 'List plans, or write them to a Markdown file.',
  examples: [
    'annals plans',
    'annals plans last',
    'annals plans --here',
    'annals plans last --newest --markdown',
    'annals plans last --out plans.md',
  ],
  input: Input,
  positional: ['session'],
  result: Result,
  async run(context, input) {
    const all = await listPlans(context, input)
    const items = input.newest ? all.slice(0, 1) : all
    const listed = { items, total: items.length }
    return input.markdown || input.out !== undefined ? writtenDown(context, input, listed) : listed
  },
})

/** What leaves as a text of its own is masked, as every export is. */
async function writtenDown(
  context: Context,
  input: Static<typeof Input>,
  listed: Static<typeof Result>,
): Promise<Static<typeof Result>> {
  const isBare = input['no-redact'] === true
  if (isBare) await mayHoldSecrets(context, 'these plans', 'plans')
  if (listed.items.length === 0) return listed
  const text = markdownOf(listed.items)
  const { openRedactor } = await import('../redact/open.ts')
  const markdown = isBare ? text : openRedactor(context).text(text).text
  if (input.out === undefined) return { ...listed, markdown }
  return { ...listed, markdown, written: await writeOut(context, input.out, markdown, { force: input.force === true }) }
}

/** One plan is what it is; several stand one after the other, the oldest first, each under a line that says whose it is. */
function markdownOf(items: readonly PlanItem[]): string {
  const texts = items.map((plan) => `${plan.text.trimEnd()}\n`)
  if (texts.length === 1) return texts[0] as string
  const heads = items.map(({ session, agent, timestamp, slug }) => {
    const facts = [slug, session, agent === null ? null : `agent-${agent}`, timestamp].flatMap((fact) => fact ?? [])
    // Two hyphens would end a comment.
    return `<!-- ${facts.join(' · ').replaceAll('--', '- -')} -->\n\n`
  })
  return texts
    .map((text, i) => `${heads[i]}${text}`)
    .reverse()
    .join('\n---\n\n')
}

/** All plans that are asked for, the newest first. */
async function listPlans(context: Context, input: Static<typeof Input>): Promise<PlanItem[]> {
  const items: PlanItem[] = []
  const slugs = new Map<string, string>()
  const seen: Whose[] = []
  for (const { session, slugs: own } of await planLogs(context, input)) {
    for (const slug of own) slugs.set(slug, session)
  }
  await foldLogs(context, input, { tools: PLAN_TOOLS }, planFold, (plans, { session, agent, entry }) => {
    seen.push({ session: session.id, agent })
    for (const { text, timestamp, accepted, place } of plans) {
      const whose = { session: session.id, agent, timestamp, accepted }
      items.push({
        from: 'log',
        slug: null,
        title: planTitle(text) || null,
        text,
        ...whose,
        file: entry.path,
        ...place,
      })
    }
  })
  const isMeant = input.session === undefined && isEverything(input) ? () => true : ofOneOf(seen)
  await historyOf(context).fetchBeside(isPlan)
  const found = context.library.isRootless ? NO_PLANS : readPlans(context.library.beside)
  for (const warning of found.warnings) context.warn(warning)
  for (const { slug, title, text, modifiedAt, file } of found.items) {
    const [name = slug, agent = null] = slug.split(/-agent-(.*)/s)
    const session = slugs.get(slug) ?? slugs.get(name) ?? null
    const whose = { session, agent: slugs.has(slug) ? null : agent, timestamp: modifiedAt, accepted: null }
    if (!isMeant(whose)) continue
    items.push({ from: 'plans', slug, title, text, ...whose, file, line: null, offset: null, length: null })
  }
  return items.sort((a, b) => ((a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1))
}

/** The logs that may name plans: those of a session, or all. */
async function planLogs(context: Context, input: Static<typeof Input>): Promise<readonly LogNote[]> {
  const logs = await logsOf(context, input)
  const queries = await historyOf({ ...context, library: logs[0]?.library ?? context.library }).refresh()
  const sessions = new Map(logs.map(({ entry, session }) => [entry.path, session.id]))
  const notes = await queries.sessions.logs([...sessions.keys()])
  return notes.map((note) => ({ ...note, session: sessions.get(note.path) ?? note.session }))
}

const NO_PLANS: ReturnType<typeof readPlans> = { items: [], warnings: [] }

const PLAN_TOOLS = ['ExitPlanMode', 'exit_plan_mode']

/** The plans that one log holds. */
const planFold: LogFold<readonly LogPlan[]> = {
  begin() {
    const fold = new ToolFold((name) => PLAN_TOOLS.includes(name))
    return { record: (record) => fold.add(record), end: () => fold.calls().flatMap(toPlan) }
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
