import { useQuery } from '@tanstack/react-query'
import { type AlertRules, NO_ALERTS } from '../../core/alerts.ts'
import { fetchJson, queryClient } from '../api.ts'

const KEY = ['notifications']

/** What the person wants to be told of, as it is written down. */
export function useRules(): AlertRules | undefined {
  const { data } = useQuery({
    queryKey: KEY,
    // The server says nothing else here.
    queryFn: async ({ signal }) => (await fetchJson('/api/notifications', { signal })) as unknown as AlertRules,
    staleTime: 60_000,
  })
  return data
}

/** Whether anything is to be told. */
export function isAnyOn(rules: AlertRules | undefined): boolean {
  return rules !== undefined && (rules.waits || rules.ended || rules.failed || rules.costUsd !== null)
}

/** Writes down what the person wants to be told of. */
export async function setRules(rules: AlertRules): Promise<void> {
  const { waits, ended, failed, costUsd } = { ...NO_ALERTS, ...rules }
  const body = JSON.stringify({ waits, ended, failed, ...(costUsd !== null && { costUsd }) })
  const headers = { 'Content-Type': 'application/json' }
  const now = await fetchJson('/api/notifications', { method: 'POST', headers, body })
  queryClient.setQueryData(KEY, now)
}
