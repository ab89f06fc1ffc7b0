import { resultText } from '../core/json-text.ts'

/** An answer that says why there is no other: a code for programs, sentences for people. */
export interface HttpError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 431 | 500 | 503
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

export const HTML_TYPE = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json; charset=utf-8'

/** An error for who asks: a page for a person's browser, JSON for programs and for our own pages. */
export function errorBody(
  error: HttpError,
  path: string,
  accept = '',
): { readonly type: string; readonly body: string } {
  const isPage = !path.startsWith('/api/') && accept.includes('text/html')
  if (!isPage) return { type: JSON_TYPE, body: errorJson(error) }
  return { type: HTML_TYPE, body: pageOf(error.message, error.hint) }
}

/** An error as the API sends it. */
export function errorJson({ code, message, hint }: HttpError): string {
  return resultText({ error: { code, message, hint: hint ?? null } })
}

/** A page of two sentences, without style or script. */
export function pageOf(message: string, hint?: string): string {
  const more = hint === undefined ? '' : `<p>${escaped(hint)}</p>`
  const head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>annals</title>'
  return `<!doctype html><html lang="en"><head>${head}</head><body><h1>${escaped(message)}</h1>${more}</body></html>\n`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
