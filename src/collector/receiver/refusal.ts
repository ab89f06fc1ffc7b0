/** Why a request is refused: a word for counting, a status and a sentence for whoever asked. */
export interface Refused {
  readonly status: 400 | 401 | 403 | 404 | 413 | 429 | 500 | 503
  readonly reason: RefusalReason
  readonly message: string
}

export const REFUSALS = [
  ...(['no-key', 'unknown-key', 'clock', 'signature', 'replay', 'too-often', 'foreign'] as const),
  ...(['too-large', 'busy', 'cut', 'not-gzip', 'not-a-batch', 'not-found', 'store', 'bug'] as const),
] as const
export type RefusalReason = (typeof REFUSALS)[number]

/** How long somebody should wait before they come again, in seconds; `undefined` where that helps nothing. */
export function waitAfter({ status, reason }: Refused): number | undefined {
  if (reason === 'too-often') return 60
  return status === 503 ? 5 : undefined
}
