import MarkdownIt from 'markdown-it'
import { shownText } from './shown-text.ts'

/** A text in which nothing has a meaning for HTML. */
export function escaped(text: string): string {
  return escapeHtml(shownText(text))
}

/** The same on one line. */
export function escapedLine(text: string): string {
  return escaped(text).replace(/\s+/g, ' ').trim()
}

/** Prose beyond this is shown as it is: no one reads it, and drawing it would hold the page. */
const MOST_CHARS = 400_000

/**
 * Markdown as HTML, by the rules of the app: raw HTML stays text, pictures are named instead of loaded, links lead only to
 * the web or to mail, and headings stand below those of the page.
 */
export function proseHtml(text: string): string {
  const shown = shownText(text).trim()
  if (shown === '') return ''
  if (shown.length > MOST_CHARS) return `<pre>${escapeHtml(shown)}</pre>`
  return `<div class="prose">${renderer.render(shown)}</div>`
}

const renderer = new MarkdownIt({ html: false, linkify: true, breaks: true })

// Names of files (`README.md`) are not addresses.
renderer.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
renderer.validateLink = (url) => /^(?:https?:\/\/|mailto:)/i.test(url.trim())

const { rules } = renderer.renderer
const { escapeHtml } = renderer.utils

rules.link_open = (tokens, index, options, _env, self) => {
  const token = tokens[index]
  token?.attrSet('rel', 'noopener noreferrer')
  token?.attrSet('target', '_blank')
  return self.renderToken(tokens, index, options)
}

rules.image = (tokens, index) => {
  const token = tokens[index]
  return `<span class="image">image: ${escapeHtml(`${token?.content ?? ''} (${token?.attrGet('src') ?? ''})`)}</span>`
}

for (const rule of ['heading_open', 'heading_close'] as const) {
  rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index]
    if (token) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`
    return self.renderToken(tokens, index, options)
  }
}

// Tables align by a style attribute, which the page's policy forbids; a class says the same.
for (const rule of ['th_open', 'td_open'] as const) {
  rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index]
    const side = /text-align:(right|center)/.exec(String(token?.attrGet('style') ?? ''))?.[1]
    if (token) token.attrs = side === undefined ? null : [['class', `to-${side}`]]
    return self.renderToken(tokens, index, options)
  }
}
