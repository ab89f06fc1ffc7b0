import { dirname, join } from 'node:path'
import { numberAt, objectAt, parseJson, textAt } from '../../core/json.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { Calendar } from '../../core/usage/calendar.ts'
import { modelName } from '../../core/usage/model-name.ts'
import { readJsonFile } from '../../disk/small-file.ts'
import { readStatsCache } from '../../disk/stats-cache.ts'
import type { TitledSession } from '../../index/queries/titles.ts'
import type { Context } from '../context.ts'
import { NullableNumber, NullableString, nullable } from '../shapes.ts'
import { differs, type LedgerLine } from './ledger.ts'
import { sumCosts } from './spending.ts'
import { type BilledSession, type BilledSpending, sumBilled } from './usage.ts'

const Compared = {
  oursUsd: NullableNumber,
  theirsUsd: NullableNumber,
  differenceUsd: nullable(Type.Number('Theirs less ours')),
  reasons: Type.Array(Type.String()),
}

/** Our count beside others' counts of the same; each difference has the reasons for it that are known. */
export const ReconcileShape = Type.Object({
  ledger: Type.Array(
    Type.Object({ session: Type.String(), title: NullableString, ...Compared }),
    "The client's cost-state rows, by session",
  ),
  statsCache: Type.Array(
    Type.Object({
      root: Type.String(),
      model: Type.String(),
      oursTokens: Type.Number('Input and output, without caches'),
      theirsTokens: Type.Number(),
      reasons: Type.Array(Type.String()),
    }),
    'stats-cache.json, by model',
  ),
  lastSessions: Type.Array(
    Type.Object({ project: Type.String(), session: NullableString, ...Compared }),
    '.claude.json: the last session of each project',
  ),
  ccusage: Type.Object({ installed: Type.Boolean(), ...Compared }),
})

type Reconciled = Static<typeof ReconcileShape>

/** What was counted, for others to be set beside. */
export interface OurCount {
  readonly sessions: readonly BilledSession[]
  /** Titles of the sessions in `lines`. */
  readonly titles: ReadonlyMap<string, TitledSession>
  readonly all: readonly BilledSpending[]
  readonly lines: readonly LedgerLine[]
  readonly calendar: Calendar
}

/** Runs ccusage; `undefined` where it is not installed. */
export type RunCcusage = () => string | undefined

/** Sets our count beside the client's own ledgers and totals and, where it is installed, ccusage's. */
export function reconcile(context: Context, ours: OurCount, ccusage: RunCcusage = runCcusage): Reconciled {
  return {
    ledger: ours.lines.map(({ session, ledgerUsd, loggedUsd, differenceUsd, reasons }) => ({
      session: session.id,
      title: ours.titles.get(session.key)?.title ?? null,
      oursUsd: loggedUsd,
      theirsUsd: ledgerUsd,
      differenceUsd,
      reasons: [...reasons],
    })),
    statsCache: context.library.roots.flatMap((root) => besideStatsCache(context, root, ours)),
    lastSessions: context.library.roots.flatMap((root) => besideLastSessions(context, root, ours)),
    ccusage: besideCcusage(ours, ccusage()),
  }
}

function besideStatsCache(
  context: Context,
  root: string,
  { all, sessions, calendar }: OurCount,
): Reconciled['statsCache'] {
  const { stats, warnings } = readStatsCache(root)
  for (const warning of warnings) context.warn(warning)
  if (!stats) return []
  const here = all.filter((one) => one.session.root === root)
  const first = here.reduce((earliest, { at }) => (at < earliest ? at : earliest), Number.POSITIVE_INFINITY)
  const lag = stats.lastComputedDate
  const isBehind = lag !== null && here.some((one) => calendar.day(one.at) > lag)
  const isOlder = stats.firstSessionDate !== null && Date.parse(stats.firstSessionDate) < first
  const isLonger = (stats.totalSessions ?? 0) > sessions.filter((session) => session.root === root).length
  return stats.modelUsage.map((row) => {
    const used = sumBilled(here.filter((one) => one.model === modelName(row.model)))
    const oursTokens = used.inputTokens + used.outputTokens
    const theirsTokens = (row.inputTokens ?? 0) + (row.outputTokens ?? 0)
    const isLess = theirsTokens < oursTokens
    const reasons = [
      ...(isLess && isBehind ? [`Claude Code counted only up to ${lag}`] : []),
      ...(!isLess && (isOlder || isLonger) ? ['it still counts sessions whose logs are gone'] : []),
    ]
    const known = reasons.length > 0 ? reasons : ['no reason is known']
    return { root, model: row.model, oursTokens, theirsTokens, reasons: oursTokens === theirsTokens ? [] : known }
  })
}

function besideLastSessions(context: Context, root: string, { all, lines }: OurCount): Reconciled['lastSessions'] {
  const projects = readLastSessions(context, root)
  return projects.map(({ project, session, costUsd }) => {
    const own = all.filter((one) => one.session.id === session)
    const line = lines.find((one) => one.session.id === session)
    const oursUsd = line?.loggedUsd ?? (own.length > 0 ? sumCosts(own) : null)
    const differenceUsd = oursUsd === null ? null : costUsd - oursUsd
    const isSame = differenceUsd !== null && !differs(differenceUsd)
    const reasons = oursUsd === null ? ['its log is gone, or it asked nothing'] : (line?.reasons ?? [OLDER_CLIENTS])
    return { project, session, oursUsd, theirsUsd: costUsd, differenceUsd, reasons: isSame ? [] : [...reasons] }
  })
}

const OLDER_CLIENTS =
  'it may be that older clients billed one-hour cache writes at the five-minute price, and side calls have no row'

/** The totals that the client keeps of each project's last session. Of its global state nothing else is looked at. */
function readLastSessions(context: Context, root: string) {
  const inside = join(root, '.claude.json')
  const beside = root === join(context.home, '.claude') ? [join(dirname(root), '.claude.json')] : []
  for (const path of [inside, ...beside]) {
    const projects = objectAt(readJsonFile(path, [])?.value, 'projects')
    if (!projects) continue
    return Object.entries(projects).flatMap(([project, state]) => {
      const costUsd = numberAt(state, 'lastCost')
      return costUsd === undefined ? [] : [{ project, session: textAt(state, 'lastSessionId') ?? null, costUsd }]
    })
  }
  return []
}

const CCUSAGE = { program: 'ccusage', args: ['claude', 'daily', '--offline', '--json'], timeout: 20_000 }

function runCcusage(): string | undefined {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { error, stdout } = spawnSync(CCUSAGE.program, CCUSAGE.args, {
    encoding: 'utf8',
    timeout: CCUSAGE.timeout,
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return error && 'code' in error && error.code === 'ENOENT' ? undefined : (stdout ?? '')
}

function besideCcusage({ all }: OurCount, answer: string | undefined): Reconciled['ccusage'] {
  const oursUsd = sumCosts(all)
  const none = { oursUsd, theirsUsd: null, differenceUsd: null }
  if (answer === undefined) return { installed: false, ...none, reasons: ['ccusage is not installed'] }
  const theirsUsd = numberAt(objectAt(parseJson(answer), 'totals'), 'totalCost')
  if (theirsUsd === undefined) return { installed: true, ...none, reasons: ['ccusage gave no answer that can be read'] }
  const differenceUsd = oursUsd === null ? null : theirsUsd - oursUsd
  const isSame = differenceUsd !== null && !differs(differenceUsd)
  const reasons = [
    'it reads the folders it finds by itself, whatever --root says',
    'its prices may be others, for newer models above all',
  ]
  return { installed: true, oursUsd, theirsUsd, differenceUsd, reasons: isSame ? [] : reasons }
}
