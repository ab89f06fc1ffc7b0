import { Failure } from '../../core/failure.ts'
import type { Context } from '../../history/context.ts'
import { inScope } from '../../history/scope.ts'
import { fieldsOf, readText } from '../../ops/input.ts'
import { search } from '../../ops/search.ts'
import { sessions } from '../../ops/sessions.ts'
import { projectName } from '../format/parts/names.ts'
import type { SearchRequest } from './answers.ts'
import { askedBy, costTest, type Filter, isOfRows } from './filters.ts'
import { type Found, nothingFound } from './model.ts'
import { fold } from './titles.ts'

/** How many hits are fetched: more than anyone looks at before typing another word. */
const MOST_HITS = 100

/**
 * What is found for what is typed. Words that filter mean what the flags of that name mean: they are handed to `sessions` and `search`.
 * What is wrong with one is told beside the answer: it may be half typed.
 */
export async function searchSessions(context: Context, request: SearchRequest): Promise<Found> {
  const { query, scope } = request
  const nothing = nothingFound(query, scope)
  const { words, filters } = askedBy(query)
  try {
    const fitting = filters.length === 0 ? undefined : await fittingSessions(context, filters)
    if (words.trim() !== '') return { ...nothing, ...(await found(context, request, words, filters)), fitting }
    const lone = filters.find(isOfRows)
    const problem = lone && `${lone.name}: filters what a search finds. Type a word too.`
    return { ...nothing, fitting, problem }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A lone quote or dash holds nothing to look for yet.
    return { ...nothing, problem: filters.length === 0 ? undefined : error.message }
  }
}

async function found(context: Context, request: SearchRequest, words: string, filters: readonly Filter[]) {
  const { scope, session, most = MOST_HITS } = request
  const where = { ...(scope === 'here' && { here: true }), ...(session !== undefined && { session }) }
  // Which project is said by the sessions that fit: a name that is half typed is none yet.
  const chosen = flagsFor(
    search,
    filters.filter(({ name }) => name !== 'project'),
  )
  const input = { query: [openEnded(words)], limit: most, ...where, ...chosen }
  // What the index does not know yet is looked through: nobody waits for it here.
  const { hits, groups, total, moreHits, behindBytes } = await search.run({ ...context, isIndexing: true }, input)
  return { hits, groups, total, moreHits, behindBytes }
}

/** The ids of the sessions that the filters leave. */
async function fittingSessions(context: Context, filters: readonly Filter[]): Promise<ReadonlySet<string>> {
  const known = [...fieldsOf(sessions), ...fieldsOf(search)].map(({ name }) => name)
  const unknown = filters.find(({ name }) => name !== 'cost' && !known.includes(name))
  if (unknown) throw new Failure('BAD_INPUT', `There is no filter ${unknown.name}:`)
  const flags = flagsFor(
    sessions,
    filters.filter(({ name }) => name !== 'project'),
  )
  const { items } = await sessions.run(context, { all: true, ...flags })
  const tests = [
    ...valuesOf(filters, 'project').map((value) => projectTest(context, value, items)),
    ...valuesOf(filters, 'cost').map((value) => costFits(value)),
  ]
  return new Set(items.filter((item) => tests.every((fits) => fits(item))).map(({ id }) => id))
}

type Item = Awaited<ReturnType<typeof sessions.run>>['items'][number]

/** The project that `--project` means; where it means none, those whose name begins so: it is being typed. */
function projectTest({ cwd }: Context, value: string, items: readonly Item[]): (item: Item) => boolean {
  const isNamed = inScope({ project: value }, cwd)
  if (items.some(({ project }) => isNamed(project))) return ({ project }) => isNamed(project)
  const start = fold(value)
  return ({ project }) => fold(projectName(project)).startsWith(start)
}

function costFits(value: string): (item: Item) => boolean {
  const fits = costTest(value)
  if (!fits) throw new Failure('BAD_INPUT', `cost: takes an amount, such as cost:>5 or cost:<0.50, not "${value}".`)
  return ({ costUsd }) => fits(costUsd)
}

function valuesOf(filters: readonly Filter[], name: string): readonly string[] {
  return filters.filter((filter) => filter.name === name).map(({ value }) => value)
}

/** The filters that are flags of an operation, as its input. */
function flagsFor(op: Parameters<typeof fieldsOf>[0], filters: readonly Filter[]): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const field of fieldsOf(op)) {
    const values = valuesOf(filters, field.name).map((value) => readText(field, value, `${field.name}:`))
    if (values.length > 0) input[field.name] = field.isList ? values : values.at(-1)
  }
  return input
}

/** The last word is still being typed: it stands for all that begin with it. */
export function openEnded(query: string): string {
  const word = /(?:^|\s)([^\s"()-][^\s"()]*[^\s"()*])$/u.exec(query)?.[1]
  const isQuoted = (query.match(/"/g)?.length ?? 0) % 2 === 1
  return word === undefined || word === 'OR' || isQuoted ? query : `${query}*`
}
