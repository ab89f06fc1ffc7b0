import type { Token } from 'markdown-it'
import { oneLine, plain } from './sanitize.ts'
import type { Paint, Style } from './style.ts'
import { truncate } from './width.ts'

/**
 * The text of one paragraph, heading or cell. The parser turns entities and percent signs back into characters, so
 * each piece is made plain again. Emphasis may be nested as deep as the text is long: counted, never recursed into.
 */
export function renderInline(token: Token, style: Style): string {
  const looks = new Map<string, Paint>([
    ['strong', style.strong],
    ['em', style.emphasis],
    ['s', style.struck],
    ['a', style.link],
  ])
  const depth = new Map<string, number>()
  let target = ''
  let linked = ''

  const paint = (text: string): string => {
    let painted = text
    for (const [tag, look] of looks) if (depth.get(tag)) painted = look(painted)
    return painted
  }

  const render = (piece: Token): string => {
    depth.set(piece.tag, (depth.get(piece.tag) ?? 0) + piece.nesting)
    switch (piece.type) {
      case 'link_open':
        target = attribute(piece, 'href')
        linked = ''
        return ''
      case 'link_close':
        return target === linked || target === `mailto:${linked}` ? '' : address(target, style)
      case 'image':
        return paint(`[${plain(piece.content)}]`) + address(attribute(piece, 'src'), style)
      case 'code_inline':
        return paint(style.colour ? style.code(plain(piece.content)) : `\`${plain(piece.content)}\``)
      case 'softbreak':
      case 'hardbreak':
        return '\n'
      case 'text':
        linked += piece.content
        return paint(plain(piece.content))
      default:
        return piece.nesting === 0 ? paint(plain(piece.content)) : style.colour ? '' : piece.markup
    }
  }
  return (token.children ?? []).map(render).join('')
}

const LONGEST_ADDRESS = 300

/** Where a link leads. Shown, not made a link of the terminal's: that would put data into an escape code. */
function address(target: string, style: Style): string {
  return target === '' ? '' : ` ${style.dim(`(${truncate(oneLine(target), LONGEST_ADDRESS)})`)}`
}

function attribute(piece: Token, name: string): string {
  return String(piece.attrGet(name) ?? '')
}
