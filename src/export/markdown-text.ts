import MarkdownIt, { type Token } from 'markdown-it'
import { MOST_PROSE } from '../core/markdown/html.ts'
import { fenced } from '../core/markdown/text.ts'
import { shownText } from './shown-text.ts'

/** Reads Markdown as a reader with HTML and all links would: what it finds is what others may obey. */
const reader = new MarkdownIt({ html: true })
reader.validateLink = () => true

const SENTINEL = 'end-of-text'

/**
 * A text that somebody wrote as Markdown, fit to stand in a document: its headings stand below ours, nothing in it is HTML,
 * loads a picture or links to more than the web, and no fence or list of it goes on behind its end.
 */
export function prose(text: string, level = 2): string {
  const shown = shownText(text).trim()
  if (shown === '' || shown.length > MOST_PROSE) return shown === '' ? '' : fenced(shown)
  let made = shown
  for (let round = 0; round < 3; round++) {
    const tokens = reader.parse(made, {})
    const lines = made.split('\n')
    if (round === 0) demote(lines, tokens, level)
    const isSafe = defuse(lines, tokens)
    made = lines.join('\n')
    if (isSafe) return closed(made) ?? fenced(shown)
  }
  return fenced(shown)
}

/** Text on one line, in which nothing has a meaning for Markdown or HTML, with as few signs more as that takes. */
export function plainInline(text: string): string {
  return shownText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<|~]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w{1,32};)/g, '\\&')
    .replace(/^[#>+=-]|#(?=#*$)/g, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
}

/** Text inside HTML that stands in Markdown: one line, so that no blank one ends the HTML. */
export function htmlInline(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return shownText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[&<>"]/g, (character) => entities[character] as string)
}

/** Something that is folded until it is asked for. */
export function folded(summary: string, body: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>`
}

function demote(lines: string[], tokens: readonly Token[], by: number): void {
  for (const { type, tag, markup, map, level } of tokens) {
    if (type !== 'heading_open' || !map) continue
    const [from, to] = map
    const marks = '#'.repeat(Math.min(6, Number(tag.slice(1)) + by))
    if (markup.startsWith('#')) lines[from] = (lines[from] ?? '').replace(/#{1,6}/, marks)
    else if (level === 0 && to - from === 2) {
      lines[from] = `${marks} ${(lines[from] ?? '').trim()}`
      lines[to - 1] = ''
    }
  }
}

/** Takes their meaning from lines that have one they must not have; says whether there were none. */
function defuse(lines: string[], tokens: readonly Token[]): boolean {
  const bad = tokens.filter(
    ({ type, children }) => type === 'html_block' || (children ?? []).some((child) => isDangerous(child)),
  )
  for (const { map } of bad) {
    for (let line = map?.[0] ?? 0; line < (map?.[1] ?? lines.length); line++) {
      // Only what is not escaped already: one more sign would give it its meaning back.
      lines[line] = (lines[line] ?? '').replace(/(\\*)([<[])/g, (all, before: string, sign: string) =>
        before.length % 2 === 1 ? all : `${before}\\${sign}`,
      )
    }
  }
  return bad.length === 0
}

function isDangerous(token: Token): boolean {
  if (token.type === 'html_inline' || token.type === 'image') return true
  const scheme = /^[^/?#]*:/.exec(String(token.attrGet('href') ?? ''))?.[0]
  return token.type === 'link_open' && scheme !== undefined && !/^(?:https?|mailto):$/i.test(scheme)
}

/** The text such that what comes after it stands outside of it; `undefined` where that cannot be had. */
function closed(text: string): string | undefined {
  const last = reader.parse(text, {}).findLast(({ type }) => type === 'fence')
  const ends = ['', ...(last ? [`\n${last.markup}`] : [])]
  return ends.map((end) => text + end).find(isClosed)
}

function isClosed(text: string): boolean {
  const tokens = reader.parse(`${text}\n\n${SENTINEL}`, {})
  const [open, inline, close] = tokens.slice(-3)
  return open?.type === 'paragraph_open' && open.level === 0 && inline?.content === SENTINEL && close !== undefined
}
