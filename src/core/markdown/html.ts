import MarkdownIt from 'markdown-it'

/** Makes HTML of Markdown, safe to be put into a page. */
export interface MarkdownHtml {
  render(text: string): string
  /** A text in which nothing has a meaning for HTML. */
  escape(text: string): string
}

/**
 * Opens the one way from Markdown to HTML: raw HTML stays text, pictures are named instead of loaded, links lead only to the
 * web or to mail, and headings stand below those of the page.
 */
export function openMarkdown(highlight?: (text: string, language: string) => string): MarkdownHtml {
  const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, ...(highlight && { highlight }) })
  // Names of files (`README.md`) are not addresses.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  markdown.validateLink = (url) => /^(?:https?:\/\/|mailto:)/i.test(url.trim())
  const { rules } = markdown.renderer
  const { escapeHtml } = markdown.utils

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
  return { render: (text) => markdown.render(text), escape: escapeHtml }
}

function nesting(type: string): number {
  return type === 'link_open' ? 1 : type === 'link_close' ? -1 : 0
}

/** Prose beyond this is not drawn: no one reads it, and it would hold the page. */
export const MOST_PROSE = 400_000
