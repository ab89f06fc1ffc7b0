import { textKey } from '../../core/facts/row-key.ts'
import { parseJson } from '../../core/json.ts'
import { parseQuery } from '../../core/search/query.ts'
import { idOfKey } from '../../index/queries/family-key.ts'
import type { HistoryQueries } from '../../index/queries/history-queries.ts'
import { indexQueries } from '../../index/queries/index-queries.ts'
import { searchRemoteHits } from '../../index/search/search.ts'
import { searchedLogs } from '../../index/search/searched-logs.ts'
import { FetchedTables } from './fetched-tables.ts'
import type { StoreFiles } from './store-files.ts'
import { FEW_LOGS, MOST_LISTED, MOST_LOOKED_AT, type StoreReader } from './store-reader.ts'
import { StoreTokens } from './store-tokens.ts'

/** Queries to a team store as it was listed. */
export interface StoreQueries extends HistoryQueries {
  close(): void
}

/** Queries to a team store: each fetches what it needs into tables in memory, and then asks these as an index is asked. */
export function storeQueries(reader: StoreReader, files: StoreFiles, fewLogs = FEW_LOGS): StoreQueries {
  const tables = new FetchedTables(reader, files, fewLogs)
  const spent = new StoreTokens(reader, tables)
  let opened: HistoryQueries | undefined
  const own = async () => {
    opened ??= indexQueries(await tables.database())
    return opened
  }
  const logsSince = (since: number | undefined) =>
    since === undefined ? undefined : files.logs().flatMap(({ id, lastAt }) => ((lastAt ?? since) >= since ? id : []))

  const sessions: HistoryQueries['sessions'] = {
    async infos(ids) {
      await Promise.all([tables.fetchFacts(), tables.fetchShared(), tables.fetchSidecars()])
      await Promise.all([tables.fetchLinks(), tables.fetchForkTrees(ids)])
      return (await own()).sessions.infos(ids)
    },
    async logs(paths) {
      await tables.fetchFacts()
      return (await own()).sessions.logs(paths)
    },
    async naming(idStart) {
      await tables.fetchFacts()
      return (await own()).sessions.naming(idStart)
    },
    async titles(keys) {
      await tables.fetchTitles(keys.map(idOfKey))
      return (await own()).sessions.titles(keys)
    },
    async turns(paths) {
      await tables.fetchTurns(paths && (await tables.logsAt(paths)))
      return (await own()).sessions.turns(paths)
    },
    async ofRows(uuids) {
      await tables.fetchHolders(uuids.map(textKey))
      return (await own()).sessions.ofRows(uuids)
    },
  }

  const spending: HistoryQueries['spending'] = {
    async tokens(filter = {}) {
      if (!filter.single) return spent.sums(filter)
      if (filter.since !== undefined || filter.only) return spent.responses(filter)
      // All of them are looked up again by the keys that they have in the tables.
      await tables.fetchResponses()
      return (await own()).spending.tokens(filter)
    },
    async page(page) {
      await tables.fetchResponses(page.logs)
      return (await own()).spending.page(page)
    },
    async inherited(logs) {
      await tables.fetchShared()
      return (await own()).spending.inherited(logs)
    },
    async bySession(session) {
      await tables.fetchResponses(await tables.sessionLogs(session.root, session.project, session.id))
      return (await own()).spending.bySession(session)
    },
    async logs(filter) {
      await tables.fetchFacts()
      return (await own()).spending.logs(filter)
    },
    async models() {
      await tables.fetchFacts()
      const rows = (await tables.database()).prepare('select distinct models from fact').all()
      return [...new Set(rows.flatMap(({ models }) => parseJson(models as string) as string[]))]
    },
    async lastSpentAt() {
      // Who asks when something was spent last sums it up next: the facts of the logs are fetched at the same time.
      const [sums] = await Promise.all([spent.sums(), tables.fetchFacts()])
      const times = sums.flatMap(({ at }) => at ?? [])
      return times.length === 0 ? undefined : times.reduce((last, at) => Math.max(last, at))
    },
    async lastResponse(path) {
      await tables.fetchResponses(await tables.logsAt([path]))
      return (await own()).spending.lastResponse(path)
    },
    async holders(keys) {
      // Keys are those of fetched responses; of a log that holds one, the facts are evidence.
      await tables.fetchFacts()
      return (await own()).spending.holders(keys)
    },
    async shared() {
      await tables.fetchResponses(await tables.familyLogs(await tables.sharingLogs()))
      return (await own()).spending.shared()
    },
  }

  const search: HistoryQueries['search'] = {
    async docs(sought, filter, options) {
      const { query, candidates = [] } = sought
      if (!query) {
        await fetchFound(candidates.map(({ log }) => log))
        return (await own()).search.docs(sought, filter, options)
      }
      const { inProject, session, agent } = filter
      const isNarrow = inProject !== undefined || session !== undefined || agent !== undefined
      const only = isNarrow ? [...(await search.logs(filter)).keys()] : undefined
      const [hits] = await Promise.all([
        reader.find(query, filter, only, Math.max(MOST_LISTED, options.limit + 1)),
        tables.fetchShared(),
      ])
      await fetchFound(hits.counts.map(({ log }) => log))
      return searchRemoteHits(await tables.database(), hits, filter, options)
    },
    async logs(filter) {
      await tables.fetchFacts()
      return searchedLogs(await tables.database(), filter)
    },
    unindexed: async () => [],
    async tools() {
      await tables.fetchCalls()
      return (await own()).search.tools()
    },
  }

  /** What says whose records were found: a copied one is shown in the log that made it. */
  async function fetchFound(found: readonly number[]): Promise<void> {
    const logs = new Set(found)
    const sharing = await tables.sharingLogs()
    const copying = sharing.filter((log) => logs.has(log))
    await Promise.all([
      tables.fetchFamilies(copying.length > 0 ? [...logs, ...sharing] : [...logs]),
      copying.length > 0 && tables.fetchResponses(copying),
    ])
  }

  const calls: HistoryQueries['calls'] = {
    async byLog(filter) {
      await tables.fetchCalls(logsSince(filter?.since))
      return (await own()).calls.byLog(filter)
    },
    async places(names) {
      await tables.fetchCalls(await tables.logsAt(names.map(({ path }) => path)))
      return (await own()).calls.places(names)
    },
    async rows(filter) {
      await tables.fetchCalls()
      return (await own()).calls.rows(filter)
    },
    async activity() {
      await Promise.all([tables.fetchCalls(), tables.fetchResponses(), tables.fetchTrees()])
      return (await own()).calls.activity()
    },
    async touchedFiles(tools) {
      await tables.fetchCalls()
      return (await own()).calls.touchedFiles(tools)
    },
    async onFiles(filter) {
      // Who owns a call is known by its response.
      const fetched = Promise.all([tables.fetchCalls(), tables.fetchResponses()])
      if ('paths' in filter || !filter.words) {
        await fetched
        return (await own()).calls.onFiles(filter)
      }
      const query = parseQuery(filter.words.join(' OR '))
      const [hits] = await Promise.all([reader.find(query, {}, undefined, MOST_LOOKED_AT), fetched])
      const places = new Set(hits.docs.map(({ log, offset }) => `${log} ${offset}`))
      const made = await (await own()).calls.onFiles({ ...filter, words: undefined })
      return made.filter((call) => places.has(`${call.log.id} ${call.made?.offset}`))
    },
    async turns(made) {
      const agents = made.flatMap(({ log }) => (log.agent === null ? [] : log.id))
      const logs = [...new Set(made.map(({ log }) => log.id))]
      const families = await tables.familyLogs(logs)
      const mains = await tables.mainLogs(made.map(({ session }) => session))
      await Promise.all([
        tables.fetchTurns([...new Set([...families, ...mains])]),
        tables.fetchResponses(logs),
        tables.fetchFacts(agents),
      ])
      return (await own()).calls.turns(made)
    },
  }

  return { sessions, spending, search, calls, close: () => tables.close() }
}
