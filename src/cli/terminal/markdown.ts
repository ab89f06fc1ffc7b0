import MarkdownIt, { type Token } from 'markdown-it'
import { columns, fitWidths } from './columns.ts'
import { renderInline } from './markdown-inline.ts'
import { oneLine, plain } from './sanitize.ts'
import type { Style } from './style.ts'
import { expandTabs, width as widthOf, wrap } from './width.ts'

/** How wide the text may be, and its looks. */
export interface MarkdownOptions {
  readonly width: number
  readonly style: Style
}

/**
 * Markdown as lines for a terminal. Without colour the marks of the text stay, so that nothing is lost. Lines of code
 * are never broken; all others fit the width as long as nesting leaves ten columns. A text of more than a megabyte, or
 * nested beyond reason, is only wrapped.
 */
export function renderMarkdown(text: string, options: MarkdownOptions): string[] {
  const source = plain(text)
  if (source.length > LARGEST) return wrap(source, options.width)
  const tokens = parser.parse(source, {})
  // The parser drops what is nested deeper than it goes; a text that comes near is shown as it was written.
  const isTooDeep = tokens.some((token) => token.level >= DEEPEST - 2)
  return isTooDeep ? wrap(source, options.width) : renderBlocks(nest(tokens), options)
}

const LARGEST = 1_000_000
const NARROWEST = 10
const LONGEST_RULE = 60
const DEEPEST = 100
// Definitions of references would vanish from the text, which is how remarks are hidden in markdown.
const parser = new MarkdownIt({ html: false, maxNesting: DEEPEST }).disable('reference')

/** A token of the parser with those between its opening and its closing. */
interface Block {
  readonly token: Token
  readonly children: Block[]
}

function nest(tokens: readonly Token[]): Block[] {
  const top: Block[] = []
  const open = [top]
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop()
      continue
    }
    const block: Block = { token, children: [] }
    open.at(-1)?.push(block)
    if (token.nesting === 1) open.push(block.children)
  }
  return top
}

function renderBlocks(blocks: readonly Block[], options: MarkdownOptions): string[] {
  // The parser hides the paragraphs of a tight list: no blank lines there.
  const isTight = blocks.some((block) => block.token.hidden)
  return blocks.flatMap((block, at) => {
    const lines = renderBlock(block, options)
    return at === 0 || isTight ? lines : ['', ...lines]
  })
}

function renderBlock(block: Block, options: MarkdownOptions): string[] {
  const { token, children } = block
  const { style, width } = options
  switch (token.type) {
    case 'heading_open': {
      const text = children.map((child) => renderInline(child.token, style)).join('')
      return wrap(style.colour ? style.title(text) : `${'#'.repeat(Number(token.tag.slice(1)))} ${text}`, width)
    }
    case 'inline':
      return wrap(renderInline(token, style), width)
    case 'fence':
    case 'code_block':
      return renderCode(token, style)
    case 'bullet_list_open':
    case 'ordered_list_open':
      return renderList(block, options)
    case 'blockquote_open':
      return prefixed(renderBlocks(children, narrower(options, 2)), `${style.dim('│')} `)
    case 'table_open':
      return renderTable(children, options)
    case 'hr':
      return [style.dim('─'.repeat(Math.max(0, Math.min(width, LONGEST_RULE))))]
    default:
      return children.length > 0 ? renderBlocks(children, options) : wrap(plain(token.content), width)
  }
}

function renderCode(token: Token, style: Style): string[] {
  const language = oneLine(token.info)
  const lines = expandTabs(plain(token.content).trimEnd()).split('\n')
  if (!style.colour) return prefixed([`\`\`\`${language}`, ...lines, '```'], '  ')
  return prefixed(language ? [style.dim(language), ...lines] : lines, '  ')
}

function renderList({ token, children }: Block, options: MarkdownOptions): string[] {
  const first = Number(token.attrGet('start') ?? 1)
  const digits = String(first + children.length - 1).length
  const isLoose = children.some((item) =>
    item.children.some((child) => child.token.type === 'paragraph_open' && !child.token.hidden),
  )
  return children.flatMap((item, at) => {
    const number = token.type === 'ordered_list_open' ? `${String(first + at).padStart(digits)}.` : undefined
    const marker = `${[number, takeCheckbox(item) ?? (number ? undefined : '•')].filter(Boolean).join(' ')} `
    const lines = renderBlocks(item.children, narrower(options, marker.length))
    const body = prefixed(lines.slice(1), ' '.repeat(marker.length))
    const block = [(options.style.dim(marker) + (lines[0] ?? '')).trimEnd(), ...body]
    return isLoose && at > 0 ? ['', ...block] : block
  })
}

/** The box of a task, taken out of the text of its item. */
function takeCheckbox(item: Block): string | undefined {
  const text = item.children[0]?.children[0]?.token.children?.[0]
  const box = text?.type === 'text' ? /^\[([ xX])\] /.exec(text.content) : null
  if (!text || !box) return undefined
  text.content = text.content.slice(box[0].length)
  return box[1] === ' ' ? '☐' : '☑'
}

function renderTable(sections: readonly Block[], { width, style }: MarkdownOptions): string[] {
  const isHead = (section: Block) => section.token.type === 'thead_open'
  const cellsOf = (section: Block) =>
    section.children.map((row) =>
      row.children.map((cell) => {
        const text = cell.children.map((child) => renderInline(child.token, style)).join('')
        return isHead(section) ? style.strong(text.replaceAll('\n', ' ')) : text.replaceAll('\n', ' ')
      }),
    )
  const head = sections.filter(isHead).flatMap(cellsOf)
  const body = sections.filter((section) => !isHead(section)).flatMap(cellsOf)
  const natural = (head[0] ?? []).map((_, at) =>
    [...head, ...body].reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 1),
  )
  const gap = 2
  const all = natural.map((_, at) => at)
  const widths = fitWidths(natural, width - gap * (natural.length - 1), all)
  const rule = widths.map((room) => style.dim('─'.repeat(room)))
  const align = sections[0]?.children[0]?.children.map((cell) =>
    cell.token.attrGet('style') === 'text-align:right' ? ('right' as const) : ('left' as const),
  )
  const rows = [...head.flatMap((row) => wrapRow(row, widths)), rule, ...body.flatMap((row) => wrapRow(row, widths))]
  return columns(rows, { width, gap, flex: all, ...(align && { align }) })
}

/** A row whose cells are too long becomes several, so that no text of a table is lost. */
function wrapRow(row: readonly string[], widths: readonly number[]): string[][] {
  const cells = widths.map((room, at) => wrap(row[at] ?? '', room))
  const height = cells.reduce((most, lines) => Math.max(most, lines.length), 0)
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''))
}

function prefixed(lines: readonly string[], prefix: string): string[] {
  return lines.map((line) => (prefix + line).trimEnd())
}

/** Less room for what is nested, but never so little that words fall apart. */
function narrower(options: MarkdownOptions, by: number): MarkdownOptions {
  return { ...options, width: Math.max(options.width - by, Math.min(options.width, NARROWEST)) }
}
