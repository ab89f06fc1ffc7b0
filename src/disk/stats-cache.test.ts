import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { readStatsCache } from './stats-cache.ts'

test('reads what the client counted', () => {
  const cache = {
    version: 1,
    lastComputedDate: '2026-11-14',
    dailyActivity: [{ date: '2026-11-14', messageCount: 10, sessionCount: 2, toolCallCount: 3 }],
    dailyModelTokens: [{ date: '2026-11-14', tokensByModel: { opus: 100, haiku: 5 } }],
    modelUsage: { opus: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 } },
    totalSessions: 2,
    totalMessages: 10,
    longestSession: { sessionId: 's', duration: 60000, messageCount: 9, timestamp: '2026-11-14T08:00:00.000Z' },
    firstSessionDate: '2026-11-01T08:00:00.000Z',
    hourCounts: { '8': 2, '13': 1 },
  }
  withFolder({ 'stats-cache.json': JSON.stringify(cache) }, (root) => {
    const { stats, warnings } = readStatsCache(root)
    expect(warnings).toEqual([])
    expect(stats).toMatchObject({
      lastComputedDate: '2026-11-14',
      firstSessionDate: '2026-11-01T08:00:00.000Z',
      totalSessions: 2,
      totalMessages: 10,
      dailyActivity: cache.dailyActivity,
      modelUsage: [{ model: 'opus', inputTokens: 1, outputTokens: 2 }],
      hourCounts: [
        { hour: 8, count: 2 },
        { hour: 13, count: 1 },
      ],
    })
  })
})

test('reads an odd cache field by field', () => {
  const odd = `{"version":"1","dailyActivity":[null,{},{"date":"d","messageCount":"x"}],
    "dailyModelTokens":[{"date":"d","tokensByModel":{"__proto__":7,"x":"y"}},{"tokensByModel":{"a":1}}],
    "modelUsage":{"__proto__":{"inputTokens":1},"b":null},"hourCounts":{"noon":1,"3":null},"longestSession":[]}`
  withFolder({ 'stats-cache.json': odd }, (root) => {
    expect(readStatsCache(root).stats).toMatchObject({
      totalSessions: null,
      dailyActivity: [{ date: 'd', messageCount: null, sessionCount: null, toolCallCount: null }],
      modelUsage: [
        { model: '__proto__', inputTokens: 1 },
        { model: 'b', inputTokens: null },
      ],
      hourCounts: [],
    })
  })
})

test.each([
  [{}, 0],
  [{ 'stats-cache.json': null }, 1],
  [{ 'stats-cache.json': '' }, 1],
  [{ 'stats-cache.json': '[]' }, 1],
  [{ 'stats-cache.json': '{"a"' }, 1],
])('finds no stats in %j', (files, warningCount) => {
  withFolder(files, (root) => {
    const { stats, warnings } = readStatsCache(root)
    expect(stats).toBeNull()
    expect(warnings).toHaveLength(warningCount)
  })
})
