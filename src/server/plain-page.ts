import { createHash } from 'node:crypto'
import { CSP } from './headers.ts'

/** The look of the app in a few lines: who is not signed in gets none of its files. */
const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; background: light-dark(#fbfaf8, #161513); color: light-dark(#211f1b, #ece8e1);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere }
header { border-bottom: 1px solid light-dark(#e4e0d8, #34312c); background: light-dark(#fff, #1d1c19) }
header a { display: block; padding: 12px 24px; font-size: 18px; font-weight: 600; letter-spacing: -.02em; color: inherit; text-decoration: none }
main { max-width: 34rem; margin: 12vh auto; padding: 0 24px }
h1 { font-size: 22px; line-height: 1.3; letter-spacing: -.01em; margin: 0 0 8px }
p { margin: 0 0 20px; color: light-dark(#645f56, #aca598) }
code { font: .9em ui-monospace, Menlo, Consolas, monospace; padding: .1em .35em; border-radius: 4px; background: light-dark(#f3f1ec, #24221f); color: light-dark(#211f1b, #ece8e1) }
main a { display: inline-block; padding: 6px 12px; border-radius: 6px; background: light-dark(#0f6b5c, #6fd0bb); color: light-dark(#fff, #10201c); text-decoration: none }
:focus-visible { outline: 2px solid light-dark(#0f6b5c, #6fd0bb); outline-offset: 2px }
`

const HASH = createHash('sha256').update(STYLE).digest('base64')

/** What such a page is sent with: its own style may stand in it, and nothing else. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CSP.replace("style-src 'self'", `style-src 'sha256-${HASH}'`),
}

/** A page of two sentences, with the way on. What stands in backticks is a command. */
export function pageOf(
  message: string,
  hint: string | undefined,
  link: { readonly href: string; readonly text: string } | undefined,
): string {
  const more = hint === undefined ? '' : `<p>${escaped(hint).replace(/`([^`]*)`/g, '<code>$1</code>')}</p>`
  const on = link ? `<a href="${escaped(link.href)}">${escaped(link.text)}</a>` : ''
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    '<link rel="icon" href="data:,">',
    `<title>${escaped(message)} · annals</title>`,
    `<style>${STYLE}</style>`,
  ].join('')
  const body = `<header><a href="/">annals</a></header><main><h1>${escaped(message)}</h1>${more}${on}</main>`
  return `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>\n`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
