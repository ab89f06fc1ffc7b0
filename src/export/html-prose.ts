import { MOST_PROSE, openMarkdown } from '../core/markdown/html.ts'
import { shownText } from './shown-text.ts'

const markdown = openMarkdown()

/** A text in which nothing has a meaning for HTML. */
export function escaped(text: string): string {
  return markdown.escape(shownText(text))
}

/** The same on one line. */
export function escapedLine(text: string): string {
  return escaped(text).replace(/\s+/g, ' ').trim()
}

/** Markdown as HTML, by the rules of the app. */
export function proseHtml(text: string): string {
  const shown = shownText(text).trim()
  if (shown === '') return ''
  if (shown.length > MOST_PROSE) return `<pre>${markdown.escape(shown)}</pre>`
  return `<div class="prose">${markdown.render(shown)}</div>`
}
