import { keepPreviousData, QueryClient, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { isObject, type JsonValue, objectAt, parseJson, stringAt } from '../core/json.ts'
import type { Static } from '../core/schema.ts'
import type { Ops } from '../ops/index.ts'

/** What the server can be asked. */
export type OpName = keyof Ops

/** What an operation wants to know. */
export type OpInput<Name extends OpName> = Static<Ops[Name]['input']>

/** What an operation answers, exactly as `--json` prints it. */
export type OpResult<Name extends OpName> = Static<Ops[Name]['result']>

/** Why the server gave no answer: a sentence, and where there is one, what to do. */
export class OpError extends Error {
  readonly code: string
  readonly hint: string | undefined
  readonly status: number

  constructor(code: string, message: string, details: { readonly hint?: string | undefined; readonly status: number }) {
    super(message)
    this.name = 'OpError'
    this.code = code
    this.hint = details.hint
    this.status = details.status
  }
}

/** Asks the server. Rejects with an `OpError`, or with the signal's reason. */
export async function fetchOp<Name extends OpName>(
  name: Name,
  input: OpInput<Name>,
  signal?: AbortSignal,
): Promise<OpResult<Name>> {
  const answer = await fetchJson(`/api/${name}${queryOf(input)}`, signal ? { signal } : {})
  // The server runs the operation that this type is made of.
  return answer as unknown as OpResult<Name>
}

/** Has the server do what changes something. Rejects with an `OpError`. */
export async function doOp<Name extends OpName>(name: Name, input: OpInput<Name>): Promise<OpResult<Name>> {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetchJson(`/api/${name}`, { method: 'POST', headers, body: JSON.stringify(input) })
  return answer as unknown as OpResult<Name>
}

/** Asks the server for a path of its API. Rejects with an `OpError`, or with the signal's reason. */
export async function fetchJson(path: string, request: RequestInit = {}): Promise<JsonValue> {
  const response = await fetch(path, request).catch((error: unknown) => {
    if (request.signal?.aborted) throw error
    throw new OpError('UNREACHABLE', 'The server does not answer.', {
      hint: 'It may have been stopped: start it again with `annals serve`.',
      status: 0,
    })
  })
  const answer = parseJson(await response.text())
  if (response.ok && answer !== undefined) return answer
  throw errorOf(answer, response.status)
}

function errorOf(answer: JsonValue | undefined, status: number): OpError {
  const error = objectAt(answer, 'error')
  if (status === 401 && !error) {
    return new OpError('UNAUTHORIZED', 'This page is not signed in.', {
      hint: 'Open the link that `annals serve` prints.',
      status,
    })
  }
  const message = stringAt(error, 'message') ?? `The server answered with an error (${status}).`
  return new OpError(stringAt(error, 'code') ?? 'ERROR', message, { hint: stringAt(error, 'hint'), status })
}

/** How a question is asked. */
export interface OpOptions {
  /** Whether to ask now; `true` unless said otherwise. */
  readonly enabled?: boolean
  /** Shows the last answer while the next one is fetched. */
  readonly keepPrevious?: boolean
  /** For how long an answer is taken as fresh. */
  readonly staleMs?: number
  /** Asks while the page is being drawn, not a frame after it. */
  readonly isUrgent?: boolean
}

/** Asks the server as long as the component is shown; a question that is no longer wanted is cancelled. */
export function useOp<Name extends OpName>(
  name: Name,
  input: OpInput<Name>,
  options: OpOptions = {},
): UseQueryResult<OpResult<Name>, OpError> {
  const question = {
    queryKey: [name, input],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchOp(name, input, signal),
  }
  const client = useQueryClient()
  if (options.isUrgent && !client.getQueryState(question.queryKey)) void client.prefetchQuery(question)
  return useQuery<OpResult<Name>, OpError>({
    ...question,
    enabled: options.enabled ?? true,
    ...(options.keepPrevious && { placeholderData: keepPreviousData }),
    ...(options.staleMs !== undefined && { staleTime: options.staleMs }),
  })
}

/** The first sessions of the list, as the server last knew them: at once, and perhaps a little old. */
export const FIRST_SCREEN = {
  queryKey: ['first-screen'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    (await fetchJson('/api/first-screen', { signal })) as unknown as OpResult<'sessions'>,
  staleTime: Number.POSITIVE_INFINITY,
}

/** The answers that are kept. What was asked a moment ago is not asked again. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 15_000, retry: false, refetchOnWindowFocus: false } },
})

function queryOf(input: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== false) query.append(name, String(one))
    }
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** What the server says about itself. */
export interface About {
  readonly isDemo: boolean
  readonly version: string | undefined
}

/** Asks what is served: a made-up history is told as such. */
export function useAbout(): About | undefined {
  const { data } = useQuery({
    queryKey: ['about'],
    queryFn: ({ signal }) => fetchJson('/api/about', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!isObject(data)) return undefined
  return { isDemo: data.demo === true, version: stringAt(data, 'version') }
}
