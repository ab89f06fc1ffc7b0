import { join } from 'node:path'
import { fieldAt, isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../core/json.ts'
import { readJsonFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** What the client's `/stats` counted. It lags by a day or more and outlives the logs it was counted from. */
export interface StatsCache {
  readonly file: string
  readonly modifiedAt: string | null
  readonly version: number | null
  readonly lastComputedDate: string | null
  readonly firstSessionDate: string | null
  readonly totalSessions: number | null
  readonly totalMessages: number | null
  readonly dailyActivity: readonly DailyActivity[]
  readonly dailyModelTokens: readonly { readonly date: string; readonly model: string; readonly tokens: number }[]
  readonly modelUsage: readonly ModelUsage[]
  readonly hourCounts: readonly { readonly hour: number; readonly count: number }[]
  readonly longestSession: LongestSession | null
  /** The file as it came, for what is not named here. */
  readonly raw: JsonObject
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
  readonly cacheReadTokens: number | null
  readonly cacheWriteTokens: number | null
  readonly webSearches: number | null
  readonly costUsd: number | null
}

/** The session that took longest. */
export interface LongestSession {
  readonly sessionId: string | null
  readonly durationMs: number | null
  readonly messageCount: number | null
  readonly timestamp: string | null
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
    modifiedAt: read.file.modifiedAt,
    version: numberAt(raw, 'version') ?? null,
    lastComputedDate: textAt(raw, 'lastComputedDate') ?? null,
    firstSessionDate: textAt(raw, 'firstSessionDate') ?? null,
    totalSessions: numberAt(raw, 'totalSessions') ?? null,
    totalMessages: numberAt(raw, 'totalMessages') ?? null,
    dailyActivity: objectsAt(raw, 'dailyActivity').flatMap(toDay),
    dailyModelTokens: objectsAt(raw, 'dailyModelTokens').flatMap(toDayTokens),
    modelUsage: keysAt(raw, 'modelUsage').map((model) => toModelUsage(model, fieldAt(raw.modelUsage, model))),
    hourCounts: keysAt(raw, 'hourCounts').flatMap((hour) => toHour(hour, numberAt(raw.hourCounts, hour))),
    longestSession: toLongest(objectAt(raw, 'longestSession')),
    raw,
  }
  return { stats, warnings }
}

function keysAt(value: unknown, key: string): readonly string[] {
  return Object.keys(objectAt(value, key) ?? {})
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

function toDayTokens(row: JsonObject): StatsCache['dailyModelTokens'] {
  const date = textAt(row, 'date')
  if (date === undefined) return []
  return keysAt(row, 'tokensByModel').flatMap((model) => {
    const tokens = numberAt(row.tokensByModel, model)
    return tokens === undefined ? [] : [{ date, model, tokens }]
  })
}

function toModelUsage(model: string, usage: unknown): ModelUsage {
  return {
    model,
    inputTokens: numberAt(usage, 'inputTokens') ?? null,
    outputTokens: numberAt(usage, 'outputTokens') ?? null,
    cacheReadTokens: numberAt(usage, 'cacheReadInputTokens') ?? null,
    cacheWriteTokens: numberAt(usage, 'cacheCreationInputTokens') ?? null,
    webSearches: numberAt(usage, 'webSearchRequests') ?? null,
    costUsd: numberAt(usage, 'costUSD') ?? null,
  }
}

function toHour(hour: string, count: number | undefined): StatsCache['hourCounts'] {
  return count === undefined || !/^\d{1,2}$/.test(hour) ? [] : [{ hour: Number(hour), count }]
}

function toLongest(row: JsonObject | undefined): LongestSession | null {
  if (row === undefined) return null
  return {
    sessionId: textAt(row, 'sessionId') ?? null,
    durationMs: numberAt(row, 'duration') ?? null,
    messageCount: numberAt(row, 'messageCount') ?? null,
    timestamp: textAt(row, 'timestamp') ?? null,
  }
}
