import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import { historyOf } from '../history/history.ts'
import { selectSql } from '../history/select-sql.ts'
import { nullable } from '../history/shapes.ts'
import type { Selected } from '../index/sql/select.ts'
import { VIEWS } from '../index/sql/views.ts'
import { defineOp } from './op.ts'

export const sql = defineOp({
  name: 'sql',
  summary: 'Query your history in SQL (docs/index.md).',
  examples: [
    'annals sql',
    'annals sql "select title, cost_usd from sessions order by 2 desc limit 9"',
    'annals sql "select tool, count(*), avg(is_error) from calls group by tool"',
    `annals sql "select at, text from texts where words match 'refresh token' order by at desc limit 5"`,
    'annals sql "select * from responses" --csv > responses.csv',
  ],
  input: Type.Object({
    query: Type.Optional(
      Type.Array(Type.String({ maxLength: 100_000 }), 'A select; without one, lists the views and their columns'),
    ),
    csv: Type.Optional(Type.Boolean('Print CSV (RFC 4180)')),
    timeout: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Stop the query after this many seconds (default: 30)' }),
    ),
  }),
  positional: ['query'],
  commandLineOnly: true,
  result: Type.Object({
    columns: Type.Array(Type.String()),
    rows: Type.Array(Type.Array(nullable(Type.Union([Type.String(), Type.Number()])))),
    total: Type.Integer('How many rows'),
  }),
  async run(context, { query, timeout = 30 }) {
    if (query === undefined) return { columns: ['view', 'column', 'meaning'], ...counted(LISTED) }
    // Opened before it is needed: its thread starts while the index is brought up to date.
    const watchdog = context.openWatchdog?.()
    if (!watchdog) throw new Failure('CANNOT_RUN', 'Here nothing could end a query that takes too long.')
    const tooLong = `The query took longer than ${timeout} s and was ended.`
    try {
      const { columns, rows } = await selectSql(historyOf(context), query.join(' '), {
        progress: context.progress,
        onBegin: () =>
          watchdog.begin(timeout * 1000, `${tooLong}\n  Ask for less, or give it more time with --timeout.`),
        onNoTexts: () => context.warn({ file: 'texts', message: 'Without a kept index this view is empty.' }),
      })
      return { columns: [...columns], ...counted(rows) }
    } finally {
      watchdog.close()
    }
  },
})

const LISTED = VIEWS.flatMap((view) => [
  [view.name, null, view.about],
  ...view.columns.map(({ name, about }) => [view.name, name, about]),
])

function counted(rows: Selected['rows']) {
  return { rows: rows.map((row) => [...row]), total: rows.length }
}
