import { type MouseEvent, memo, useMemo } from 'react'
import { MOST_PROSE, openMarkdown } from '../core/markdown/html.ts'
import { highlightHtml, useColours } from './highlight.ts'
import { readable } from './session/visible.ts'

/** A text as markdown. Raw HTML stays text, pictures are named instead of loaded, links lead only to the web or to mail. */
export const Markdown = memo(function Markdown(props: { readonly text: string; readonly className?: string }) {
  const hasColours = useColours() && /```|~~~/.test(props.text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come later
  const html = useMemo(() => withBoxes(withCopy(renderMarkdown(props.text))), [props.text, hasColours])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is clicked are the buttons of code
    // biome-ignore lint/a11y/useKeyWithClickEvents: a button hears keys as clicks
    <div
      dir="auto"
      className={`prose ${props.className ?? ''}`}
      onClick={copyCode}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer escapes whatever it does not make itself
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
})

/** The HTML of a markdown text, safe to be put into the page. */
export function renderMarkdown(text: string): string {
  const more = text.length - MOST_PROSE
  return markdown.render(readable(more > 0 ? `${text.slice(0, MOST_PROSE)}\n\n… ${more} more characters` : text))
}

const markdown = openMarkdown((text, language) => highlightHtml(text, language) ?? '')

/** A button beside each block of code. Text of a log is escaped, so that no `<pre>` is anybody's but the renderer's. */
function withCopy(html: string): string {
  return html.replaceAll('<pre>', '<pre dir="ltr"><button type="button" class="copy">Copy</button>')
}

/** Items that begin with `[x]` or `[ ]` as boxes; a `<li>`, too, is nobody's but the renderer's. */
function withBoxes(html: string): string {
  return html.replace(/<li>(\s*<p>)?\[([ xX])\] /g, (_, start = '', mark: string) => {
    const [name, sign] = mark === ' ' ? ['to do', '☐'] : ['done', '☑']
    return `<li class="box">${start}<span role="img" aria-label="${name}">${sign}</span> `
  })
}

async function copyCode({ target }: MouseEvent): Promise<void> {
  if (!(target instanceof HTMLButtonElement) || !target.matches('button.copy')) return
  const code = target.parentElement?.querySelector('code')?.textContent ?? ''
  const isDone = await navigator.clipboard.writeText(code).then(
    () => true,
    () => false,
  )
  target.textContent = isDone ? 'Copied' : 'Not copied'
  setTimeout(() => {
    target.textContent = 'Copy'
  }, 1500)
}
