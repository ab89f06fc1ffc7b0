import { plus } from '../usage-costs.ts'
import type { ExportedSession } from './exporter.ts'

/** What all sessions of a folder come to. */
export function sumCounts(sessions: readonly ExportedSession[]): { readonly costUsd: number | null } {
  return { costUsd: sessions.reduce<number | null>((sum, { item }) => plus(sum, item.costUsd), 0) }
}
