import { plain } from '../../terminal/sanitize.ts'
import type { UsageResult } from '../usage.ts'

const COLUMNS = [
  'key',
  'label',
  'responses',
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
  'webSearches',
  'costUsd',
  'ownCostUsd',
] as const

/** The rows as CSV, with a line of names. What is not known is empty. */
export function csvLines({ rows }: UsageResult): readonly string[] {
  return [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((column) => field(row[column])).join(','))]
}

function field(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = plain(value).replace(/[\n\t]/g, ' ')
  // A spreadsheet would take it for a formula.
  const harmless = /^[=+\-@]/.test(text) ? `'${text}` : text
  return /[",']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
