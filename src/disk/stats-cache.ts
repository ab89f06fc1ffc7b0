import { join } from 'node:path'
import { isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../core/json.ts'
import { readJsonFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** What the client's `/stats` counted. It lags by a day or more and outlives the logs it was counted from. */
export interface StatsCache {
  readonly file: string
  readonly lastComputedDate: string | null
  readonly firstSessionDate: string | null
  readonly totalSessions: number | null
  readonly totalMessages: number | null
  readonly dailyActivity: readonly DailyActivity[]
  readonly modelUsage: readonly ModelUsage[]
  readonly hourCounts: readonly { readonly hour: number; readonly count: number }[]
}

/** One day of the client's count. */
export interface DailyActivity {
  readonly date: string
  readonly messageCount: number | null
  readonly sessionCount: number | null
  readonly toolCallCount: number | null
}

/** All the client ever counted for one model. */
export interface ModelUsage {
  readonly model: string
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/** Reads `stats-cache.json` of a root; `stats` is `null` where there is none that can be read. */
export function readStatsCache(root: string): {
  readonly stats: StatsCache | null
  readonly warnings: readonly Warning[]
} {
  const warnings: Warning[] = []
  const path = join(root, 'stats-cache.json')
  const read = readJsonFile(path, warnings)
  if (read === undefined) return { stats: null, warnings }
  const raw = read.value
  if (!isObject(raw)) {
    warnings.push({ file: path, message: 'The file is not a stats cache.' })
    return { stats: null, warnings }
  }
  const stats = {
    file: path,
    lastComputedDate: textAt(raw, 'lastComputedDate') ?? null,
    firstSessionDate: textAt(raw, 'firstSessionDate') ?? null,
    totalSessions: numberAt(raw, 'totalSessions') ?? null,
    totalMessages: numberAt(raw, 'totalMessages') ?? null,
    dailyActivity: objectsAt(raw, 'dailyActivity').flatMap(toDay),
    modelUsage: Object.entries(objectAt(raw, 'modelUsage') ?? {}).map(([model, usage]) => ({
      model,
      inputTokens: numberAt(usage, 'inputTokens') ?? null,
      outputTokens: numberAt(usage, 'outputTokens') ?? null,
    })),
    hourCounts: Object.entries(objectAt(raw, 'hourCounts') ?? {}).flatMap(([hour, count]) =>
      typeof count === 'number' && /^\d{1,2}$/.test(hour) ? [{ hour: Number(hour), count }] : [],
    ),
  }
  return { stats, warnings }
}

function toDay(row: JsonObject): DailyActivity[] {
  const date = textAt(row, 'date')
  if (date === undefined) return []
  return [
    {
      date,
      messageCount: numberAt(row, 'messageCount') ?? null,
      sessionCount: numberAt(row, 'sessionCount') ?? null,
      toolCallCount: numberAt(row, 'toolCallCount') ?? null,
    },
  ]
}
