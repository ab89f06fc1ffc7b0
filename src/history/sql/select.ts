import { needsOf, type Selected, selectRows } from '../../index/sql/select.ts'
import type { History } from '../history.ts'
import { openViews } from './view-tables.ts'

/** Who asks in SQL. */
export interface SelectOptions {
  readonly progress: (doneBytes: number, totalBytes: number, stage?: string) => void
  /** Hears that all is up to date and the query begins. */
  readonly onBegin: () => void
  /** Hears that the query reads texts and there are none: an index in memory has no words. */
  readonly onNoTexts: () => void
}

/** Answers a query over the views, brought up to date as far as it reads them. What is wrong with it is told before a log is read. */
export async function selectFromViews(history: History, sql: string, options: SelectOptions): Promise<Selected> {
  const needs = needsOf(sql)
  await history.refresh((done, total) => options.progress(done, total, 'lists and sums'))
  const isCalled = needs.has('calls') || (needs.has('words') && history.isKept)
  if (isCalled) await history.refreshCalls((done, total) => options.progress(done, total, 'text'))
  if (needs.has('words') && !history.isKept) options.onNoTexts()
  const book = await history.prices()
  return history.reading((database) => {
    options.onBegin()
    openViews(database, { book, source: history.library.source, needs })
    return selectRows(database, sql)
  })
}
