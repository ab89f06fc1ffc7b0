import MarkdownIt from 'markdown-it'
import { memo, useMemo } from 'react'
import { highlightHtml } from './highlight.ts'

/** A text as markdown. Raw HTML stays text, pictures are named instead of loaded, links lead only to the web or to mail. */
export const Markdown = memo(function Markdown(props: { readonly text: string; readonly className?: string }) {
  const html = useMemo(() => renderMarkdown(props.text), [props.text])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer escapes whatever it does not make itself
  return <div className={`prose ${props.className ?? ''}`} dangerouslySetInnerHTML={{ __html: html }} />
})

/** More than this is cut: no one reads it, and drawing it would hold the page. */
const MAX_CHARS = 400_000

/** The HTML of a markdown text, safe to be put into the page. */
export function renderMarkdown(text: string): string {
  const isLong = text.length > MAX_CHARS
  return renderer.render(isLong ? `${text.slice(0, MAX_CHARS)}\n\n… ${text.length - MAX_CHARS} more characters` : text)
}

const renderer = new MarkdownIt({
  html: false,
  linkify: true,
  breaks: true,
  highlight: (text, language) => highlightHtml(text, language) ?? '',
})

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
  const address = String(token?.attrGet('src') ?? '')
  const text = escapeHtml(`image: ${token?.content ?? ''} (${address})`)
  const isInLink = tokens.slice(0, index).reduce((depth, { type }) => depth + nesting(type), 0) > 0
  if (isInLink) return `<span>${text}</span>`
  return `<a href="${escapeHtml(address)}" rel="noopener noreferrer" target="_blank">${text}</a>`
}

function nesting(type: string): number {
  return type === 'link_open' ? 1 : type === 'link_close' ? -1 : 0
}

// The page has its own first headings; those of a text stand below them.
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
