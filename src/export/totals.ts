import { sumCosts } from '../history/usage/spending.ts'
import type { ExportedSession } from './exporter.ts'

/** What all sessions of a folder come to. */
export function sumCounts(sessions: readonly ExportedSession[]): { readonly costUsd: number | null } {
  return { costUsd: sumCosts(sessions.map(({ item }) => item)) }
}
