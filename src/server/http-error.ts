import { resultText } from '../core/json-text.ts'
import { PAGE_HEADERS, pageOf } from './plain-page.ts'

/** An answer that says why there is no other: a code for programs, sentences for people. */
export interface HttpError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 431 | 500 | 503
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  /** Whether a person may go on to the same address by a click of their own. */
  readonly leadsOn?: boolean
}

const HOME = { href: '/', text: 'Go to the sessions' }
export const JSON_TYPE = 'application/json; charset=utf-8'

/** An error for who asks: a page for a person's browser, JSON for programs and for our own pages. */
export function errorBody(
  error: HttpError,
  path: string,
  accept = '',
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const isPage = !path.startsWith('/api/') && accept.includes('text/html')
  if (!isPage) return { headers: { 'Content-Type': JSON_TYPE }, body: errorJson(error) }
  const link = error.leadsOn ? { href: path, text: 'Open it here' } : HOME
  return { headers: PAGE_HEADERS, body: pageOf(error.message, error.hint, error.status === 401 ? undefined : link) }
}

/** An error as the API sends it. */
export function errorJson({ code, message, hint }: HttpError): string {
  return resultText({ error: { code, message, hint: hint ?? null } })
}
