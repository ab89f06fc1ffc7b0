import { memo, useMemo } from 'react'
import { MOST_PROSE, openMarkdown } from '../core/markdown/html.ts'
import { highlightHtml } from './highlight.ts'

/** A text as markdown. Raw HTML stays text, pictures are named instead of loaded, links lead only to the web or to mail. */
export const Markdown = memo(function Markdown(props: { readonly text: string; readonly className?: string }) {
  const html = useMemo(() => renderMarkdown(props.text), [props.text])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer escapes whatever it does not make itself
  return <div className={`prose ${props.className ?? ''}`} dangerouslySetInnerHTML={{ __html: html }} />
})

/** The HTML of a markdown text, safe to be put into the page. */
export function renderMarkdown(text: string): string {
  const more = text.length - MOST_PROSE
  return markdown.render(more > 0 ? `${text.slice(0, MOST_PROSE)}\n\n… ${more} more characters` : text)
}

const markdown = openMarkdown((text, language) => highlightHtml(text, language) ?? '')
