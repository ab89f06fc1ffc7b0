import { toFts } from '../../core/search/query.ts'
import type { Database } from '../driver.ts'
import { searchDocs } from '../search/search.ts'
import { searchedLogs } from '../search/searched-logs.ts'
import { activityByLog } from './activity.ts'
import { billedLogs } from './billed-logs.ts'
import { callPlaces, callsByLog, toolNames } from './calls.ts'
import { fileCalls, touchedFiles, turnsOfCalls } from './file-calls.ts'
import type { HistoryQueries } from './history-queries.ts'
import { holdersOf, sharedHoldings } from './holdings.ts'
import { lastResponse } from './last-response.ts'
import { type LogNote, logNotes, usedModels } from './log-notes.ts'
import { sessionsNaming } from './log-sessions.ts'
import { placesByLog } from './places.ts'
import { sessionsOfRows } from './row-sessions.ts'
import { type SessionInfo, sessionInfos } from './session-info.ts'
import { inheritedTokens, lastSpentAt, responsePage, spentBySession, spentTokens } from './spending.ts'
import { titlesOf } from './titles.ts'
import { turnsByLog } from './turns.ts'
import { unindexedLogs } from './unindexed-logs.ts'

/**
 * Queries over the tables of an index. The lists of all sessions and all logs are kept: make a new object when the tables
 * change. The driver is synchronous, so each method finishes before its promise is returned.
 */
export function indexQueries(database: Database): HistoryQueries {
  let infos: ReadonlyMap<string, SessionInfo> | undefined
  let logs: readonly LogNote[] | undefined
  return {
    sessions: {
      infos: async (ids) => {
        if (ids && !infos) return sessionInfos(database, ids)
        infos ??= sessionInfos(database)
        return infos
      },
      logs: async (paths) => {
        logs ??= logNotes(database)
        return paths ? logs.filter(({ path }) => paths.includes(path)) : logs
      },
      naming: async (idStart) => sessionsNaming(database, idStart),
      titles: async (keys) => titlesOf(database, keys),
      turns: async (paths) => turnsByLog(database, paths),
      ofRows: async (uuids) => sessionsOfRows(database, uuids),
    },
    spending: {
      tokens: async (filter) => spentTokens(database, filter),
      page: async (page) => responsePage(database, page),
      inherited: async (some) => inheritedTokens(database, some),
      bySession: async (session) => spentBySession(database, session),
      logs: async (filter) => billedLogs(database, filter),
      models: async () => usedModels(database),
      lastSpentAt: async () => lastSpentAt(database),
      lastResponse: async (path) => lastResponse(database, path),
      holders: async (keys) => holdersOf(database, keys),
      shared: async () => sharedHoldings(database),
    },
    search: {
      docs: async ({ query, candidates }, filter, options) =>
        searchDocs(database, { match: query && toFts(query), candidates }, filter, options),
      logs: async (filter) => searchedLogs(database, filter),
      unindexed: async () => unindexedLogs(database),
      tools: async () => toolNames(database),
    },
    calls: {
      byLog: async (filter) => callsByLog(database, filter),
      places: async (calls) => callPlaces(database, calls),
      rows: async (filter) => placesByLog(database, filter),
      activity: async () => activityByLog(database),
      touchedFiles: async (tools) => touchedFiles(database, tools),
      onFiles: async (filter) => fileCalls(database, filter),
      turns: async (calls) => turnsOfCalls(database, calls),
    },
  }
}
