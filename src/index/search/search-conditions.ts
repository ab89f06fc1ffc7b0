import type { SqlValue } from '../driver.ts'
import type { SearchFilter } from './searched-logs.ts'

/** The conditions of a filter on docs as SQL. Values are always parameters; column names are ours. */
export function conditions(filter: SearchFilter): { readonly where: string; readonly values: readonly SqlValue[] } {
  const parts: string[] = []
  const values: SqlValue[] = []
  const add = (sql: string, value: SqlValue | undefined) => {
    if (value === undefined) return
    parts.push(sql)
    values.push(value)
  }
  const named = (column: string) => `d.${column} in (select id from any_name where text = ?)`
  const namedWith = (column: string) => `d.${column} in (select id from any_name where instr(text, ?) > 0)`
  add('d.time >= ?', filter.sinceMs)
  add('d.time < ?', filter.untilMs)
  add(named('role'), filter.role)
  add(named('kind'), filter.kind)
  add(`${named('tool').slice(0, -1)} collate nocase)`, filter.tool)
  add(namedWith('model'), filter.model)
  add(named('branch'), filter.gitBranch)
  add(namedWith('target'), filter.file)
  if (filter.error) parts.push('d.error = 1')
  return { where: parts.map((part) => ` and ${part}`).join(''), values }
}
