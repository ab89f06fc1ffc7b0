import { useEffect } from 'react'
import { OpError, useOp } from '../api.ts'
import { useNavigate } from '../routing.tsx'
import { type Reading, useFirstPage } from './use-rows.ts'

/** The row that an address leads to. */
export interface Target {
  readonly uuid: string | undefined
  readonly row: number | undefined
  /** How many rows there are; `undefined` where nothing was looked for. */
  readonly total: number | undefined
  /** How much of the log was known. */
  readonly sizeBytes: number | undefined
  readonly isPending: boolean
  /** Why it cannot be shown. */
  readonly problem: string | undefined
}

/** Finds the row that `?at=` names. One on an abandoned branch, or in an agent's log, leads there. */
export function useTarget({ session, branch }: Reading, at: string | undefined): Target {
  const navigate = useNavigate()
  const input = { session, around: at ?? '', count: 1, ...(branch !== undefined && { branch }) }
  const { data, error, isPending } = useOp('read', input, { enabled: at !== undefined, staleMs: 60_000 })
  // Without a branch in the address the first page is the active branch's.
  const { data: first } = useFirstPage({ session, branch: undefined }, at !== undefined && branch === undefined)
  const leaf = branch === undefined ? (data?.branch ?? undefined) : undefined
  // Leaves that differ may be those of one branch that has grown; the outline knows.
  const isSuspect = leaf !== undefined && first !== undefined && first.branch !== leaf
  const { data: outline, isPending: isAsking } = useOp('outline', { session }, { enabled: isSuspect })
  const isAbandoned = isSuspect && outline?.branches.find((one) => one.leaf === leaf)?.active === false
  const owner = error instanceof OpError ? /\bagent-([\w-]+)/.exec(error.hint ?? '')?.[1] : undefined
  useEffect(() => {
    if (at === undefined) return
    if (isAbandoned) navigate({ to: '/s/$session', params: { session }, search: { branch: leaf, at }, replace: true })
    else if (owner)
      navigate({ to: '/s/$session', params: { session: `agent-${owner}` }, search: { at }, replace: true })
  }, [at, isAbandoned, leaf, owner, session, navigate])
  if (at === undefined) return NOTHING
  // The row that shows it may be another: a result is shown by its call.
  const [shown] = data?.rows ?? []
  const isOnItsWay = isPending || (isSuspect && isAsking) || isAbandoned || owner !== undefined
  return {
    uuid: shown?.uuid ?? at,
    row: data?.at ?? undefined,
    total: data?.total,
    sizeBytes: data?.sizeBytes,
    isPending: isOnItsWay,
    problem: error?.message,
  }
}

const NOTHING: Target = {
  uuid: undefined,
  row: undefined,
  total: undefined,
  sizeBytes: undefined,
  isPending: false,
  problem: undefined,
}
