import xterm from '@xterm/headless'
import { describe, expect, test } from 'vitest'
import { fileDiff } from '../../core/tools/tool-diff.ts'
import { columns } from './columns.ts'
import { renderDiff } from './diff.ts'
import { foldLines } from './fold.ts'
import { ago, shortPath, until } from './human.ts'
import { renderMarkdown } from './markdown.ts'
import { createProgress } from './progress.ts'
import { oneLine, plain } from './sanitize.ts'
import { createStyle, type Style } from './style.ts'
import { padEnd, padStart, truncate, wrap } from './width.ts'

const ESC = '\u001b'
const BEL = '\u0007'
const ST = `${ESC}\\`

/** What a hostile log might hold, one line each; every one would do something to a terminal or hide from its reader. */
const payloads: readonly string[] = [
  // Titles, clipboard, links, colours, notifications, files.
  `${ESC}]0;owned${BEL}`,
  `${ESC}]2;owned${ST}`,
  `${ESC}]52;c;b3duZWQ=${BEL}`,
  `${ESC}]52;c;?${BEL}`,
  `${ESC}]8;;https://evil.example${ST}click${ESC}]8;;${ST}`,
  `${ESC}]4;1;?${BEL}`,
  `${ESC}]10;?${ST}`,
  `${ESC}]104${BEL}`,
  `${ESC}]9;owned${BEL}`,
  `${ESC}]777;notify;a;b${BEL}`,
  `${ESC}]1337;File=inline=1:AAAA${BEL}`,
  `${ESC}]133;A${ST}`,
  `${ESC}]0;owned\u009c`,
  // Questions that the terminal answers on our standard input.
  `${ESC}[6n`,
  `${ESC}[5n`,
  `${ESC}[c`,
  `${ESC}[>c`,
  `${ESC}[21t`,
  `${ESC}[?2004$p`,
  `${ESC}Z`,
  `${ESC}P$qm${ST}`,
  `${ESC}P+q544e${ST}`,
  '\u0005',
  // Cursor, screen and modes.
  `${ESC}[2J`,
  `${ESC}[3J`,
  `${ESC}[H`,
  `${ESC}[10A`,
  `${ESC}[10A${ESC}[2Kfake`,
  `${ESC}[1;1Hfake`,
  `${ESC}[1000D`,
  `${ESC}[5L`,
  `${ESC}[5M`,
  `${ESC}[1;3r`,
  `${ESC}[?25l`,
  `${ESC}[?1049h`,
  `${ESC}[?1000h`,
  `${ESC}[?7l`,
  `${ESC}[4h`,
  `${ESC}[20h`,
  `${ESC}[8m hidden`,
  `${ESC}[31;7m`,
  `${ESC}[3${ESC}[31m1m`,
  `${ESC}[b`,
  `${ESC}c`,
  `${ESC}7${ESC}8`,
  `${ESC}M`,
  `${ESC}D${ESC}E`,
  `${ESC}#8`,
  `${ESC}(0lqk`,
  `${ESC}%G`,
  `${ESC}=`,
  // Strings of other kinds, and those that never end.
  `${ESC}_Gf=32;AAAA${ST}`,
  `${ESC}^owned${ST}`,
  `${ESC}Xowned${ST}`,
  `${ESC}Pq#0~~${ST}`,
  `${ESC}]0;owned`,
  `${ESC}P1;2`,
  `${ESC}_`,
  `${ESC}[`,
  `${ESC}[38;5`,
  ESC,
  `${ESC}${ESC}[2J`,
  `${ESC}\u0018${ESC}[2J`,
  `${ESC}]0;a${ESC}[2J${BEL}`,
  // The 8-bit forms.
  '\u009b2J',
  '\u009b10A',
  '\u009d0;owned\u0007',
  '\u009d0;owned\u009c',
  '\u0090q\u009c',
  '\u009fowned\u009c',
  '\u009eowned',
  '\u0098owned',
  '\u0084\u0085\u008d',
  // Single controls.
  'safe\revil',
  'evil\b\b\b\bsafe',
  BEL,
  '\0\0\0',
  '\u000e\u000f',
  '\v\f',
  '\u007f\u007f',
  '\u0011\u0013\u001a',
  // What hides or reorders.
  '\u202etxt.exe',
  '\u2066a\u2069\u2067b\u2069',
  '\u200e\u200f\u061c',
  'a\u200bb\u200cc\u200dd\u2060e\ufeff',
  '\u{e0001}\u{e0068}\u{e0069}\u{e007f}',
  'a\ufe00\ufe01\u{e0100}\u{e0101}',
  '\u2028\u2029\u00ad\u034f\u180e\u3164',
  '\ud800 \udfff',
  // What markdown would turn back into characters.
  '&#27;[2J&#x9b;2J&#13;evil&#x202e;&rlm;&zwj;&shy;',
  '<https://evil.example/%1B%5D0;owned%07%9B2J>',
  '[a](https://evil.example/%1b%5b2J "t") ![b](x%1b)',
]

const now = Date.parse('2026-11-13T12:00:00Z')

/** Every way that data takes to a terminal. Some take only what is plain already; the others must see to it themselves. */
const ways: Readonly<Record<string, (data: string, style: Style) => string>> = {
  plain: (data) => plain(data),
  oneLine: (data) => oneLine(data),
  style: (data, style) => paintsOf(style).reduce((text, paint) => paint(text), plain(data)),
  truncate: (data, style) => truncate(style.bad(plain(data)), 10),
  pad: (data) => `${padEnd(plain(data), 30)}${padStart(plain(data), 30)}`,
  wrap: (data, style) => wrap(style.dim(plain(data)), 12, '  ').join('\n'),
  columns: (data, style) =>
    columns(
      [
        [style.good(oneLine(data)), '1'],
        ['cell', oneLine(data)],
      ],
      { width: 30, align: ['left', 'right'] },
    ).join('\n'),
  'markdown text': (data, style) => markdown(`before ${data} after\n\n${data}`, style),
  'markdown heading': (data, style) => markdown(`# ${data}\n\n- ${data}\n\n1. ${data}`, style),
  'markdown emphasis': (data, style) => markdown(`**${data}** *${data}* \`${data}\``, style),
  'markdown code': (data, style) => markdown(`\`\`\`${data}\n${data}\n\`\`\`\n\n    ${data}`, style),
  'markdown link': (data, style) =>
    markdown(`[${data}](<https://a.example/${data}>) <https://a.example/${data}>`, style),
  'markdown table': (data, style) => markdown(`| ${data} | b |\n|---|--:|\n| c | ${data} |`, style),
  'markdown quote': (data, style) => markdown(`> ${data}\n> - [ ] ${data}`, style),
  renderDiff: (data, style) => {
    const lines = [` ${data}`, `-${data}`, `+${data}\n${data}`, data, `\\ ${data}`]
    const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }
    const options = { style, width: 40, maxLines: 20 }
    return [true, false].flatMap((isNumbered) => renderDiff(fileDiff([hunk, hunk], isNumbered), options)).join('\n')
  },
  foldLines: (data, style) => foldLines(`${data}\n`.repeat(9), { head: 2, tail: 1, columns: 20, style }).join('\n'),
  shortPath: (data) => shortPath(`/home/ana/${data}\n${data}`, '/home/ana'),
  times: (data) => `${ago(data, now, 'UTC')} ${until(data, now)}`,
}

describe('a hostile payload', () => {
  test.each(Object.entries(ways))('does nothing by way of %s', async (_, way) => {
    expect(payloads.length).toBeGreaterThanOrEqual(60)
    for (const payload of payloads) {
      const bare = way(payload, createStyle({ colour: false }))
      expect(controlsIn(bare), JSON.stringify(payload)).toEqual([])

      const painted = way(payload, createStyle({ colour: true }))
      expect(controlsIn(withoutPaint(painted)), JSON.stringify(payload)).toEqual([])
      expect(await effectsOf(painted), JSON.stringify(payload)).toEqual(NO_EFFECTS)
    }
  })

  test('does nothing in a markdown text beyond a megabyte', async () => {
    const style = createStyle({ colour: true })
    const shown = markdown(`${payloads.join('\n')}\n${' '.repeat(1_000_000)}`, style).trimEnd()
    expect(controlsIn(shown)).toEqual([])
    expect(await effectsOf(shown.split('\n').slice(0, 50).join('\n'))).toEqual(NO_EFFECTS)
  })

  test('does nothing in a line of progress', async () => {
    for (const payload of payloads) {
      const written: string[] = []
      let time = 0
      const stream = { columns: 60, write: (text: string) => written.push(text) }
      const progress = createProgress(stream, { isTty: true, label: payload, now: () => time })
      time = 1000
      progress.update(1000)
      const [drawn = ''] = written
      expect(drawn.startsWith(`\r${ESC}[K`)).toBe(true)
      expect(controlsIn(drawn.slice(4)), JSON.stringify(payload)).toEqual([])
      progress.finish()
      expect(await effectsOf(written.join(''))).toEqual(NO_EFFECTS)
    }
  })
})

test('the terminal of these tests does notice a payload that gets through', async () => {
  expect(await effectsOf(`${ESC}]0;owned${BEL}`)).toMatchObject({ events: ['title'] })
  expect(await effectsOf(`${ESC}[6n`)).toMatchObject({ events: ['answer'] })
  expect(await effectsOf(BEL)).toMatchObject({ events: ['bell'] })
  expect(await effectsOf('\u009b2J')).toMatchObject({ first: '' })
  expect(await effectsOf(`${ESC}[10A`)).toMatchObject({ rowsMoved: false })
  expect(await effectsOf(`${ESC}[31m`)).toMatchObject({ isDefaultColour: false })
  expect(await effectsOf(`${ESC}]0;owned`)).toMatchObject({ last: '' })
  expect(await effectsOf(`${ESC}[?1049h`)).toMatchObject({ buffer: 'alternate' })
})

const NO_EFFECTS = {
  events: [],
  first: 'FIRST',
  last: 'LAST',
  rowsMoved: true,
  column: 4,
  buffer: 'normal',
  isDefaultColour: true,
}

/** Writes the text between two words, and looks whether anything but the text between them came of it. */
async function effectsOf(text: string): Promise<typeof NO_EFFECTS | { events: string[] }> {
  const terminal = new xterm.Terminal({ cols: 200, rows: 60, convertEol: true, allowProposedApi: true })
  const events: string[] = []
  terminal.onTitleChange(() => events.push('title'))
  terminal.onBell(() => events.push('bell'))
  terminal.onData(() => events.push('answer'))
  await new Promise<void>((resolve) => terminal.write(`FIRST\n${text}\nLAST`, resolve))
  const { active } = terminal.buffer
  const row = active.baseY + active.cursorY
  const cell = active.getLine(row)?.getCell(0)
  const rows = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(cellsOf(line) / 200)), 0)
  const effects = {
    events,
    first: active.getLine(0)?.translateToString(true) ?? '',
    last: active.getLine(row)?.translateToString(true) ?? '',
    rowsMoved: row === rows + 1,
    column: active.cursorX,
    buffer: active.type,
    isDefaultColour: Boolean(cell?.isFgDefault() && cell.isBgDefault() && cell.isAttributeDefault()),
  }
  terminal.dispose()
  return effects
}

/** Cells of a line of ours, where tabs and wide characters do not come near the edge. */
function cellsOf(line: string): number {
  return withoutPaint(line).replace(`\r${ESC}[K`, '').length
}

function markdown(text: string, style: Style): string {
  return renderMarkdown(text, { width: 40, style }).join('\n')
}

function paintsOf({ colour: _, ...paints }: Style): ((text: string) => string)[] {
  return Object.values(paints)
}

/** Takes away what our own styles add: plain colours and looks, nothing else that begins with an escape. */
function withoutPaint(text: string): string {
  return text.replace(new RegExp(`${ESC}\\[\\d{1,2}m`, 'g'), '')
}

function controlsIn(text: string): readonly string[] {
  return text.match(/(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/gu) ?? []
}
