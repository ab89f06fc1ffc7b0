const COLUMN = 8.43
const LINE = 18
const MARGIN = 16
/** The first sixteen colours of a terminal, on a dark ground. */
const COLOURS = ['#484f58', '#ff7b72', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#c9d1d9']
const DIM = '#8b949e'

/** The screen of a terminal as an SVG, without the empty lines at its end. */
export function svgOf(terminal, title) {
  const { active } = terminal.buffer
  const rows = Array.from({ length: terminal.rows }, (_, y) => runsOf(active.getLine(active.baseY + y), terminal.cols))
  const shown = rows.slice(0, rows.findLastIndex((runs) => runs.some(({ text }) => text.trim() !== '')) + 1)
  const lines = shown.map(
    (runs, y) => `<text y="${30 + y * LINE}" xml:space="preserve">${runs.map(spanOf).join('')}</text>`,
  )
  const size = `width="${round(terminal.cols * COLUMN + 2 * MARGIN)}" height="${shown.length * LINE + 24}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#c9d1d9">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${lines.join('\n')}
</svg>
`
}

/** Pieces of a line that look alike, each with the column it begins at. */
function runsOf(line, columns) {
  const runs = []
  for (let x = 0; line && x < columns; x++) {
    const cell = line.getCell(x)
    if (!cell || cell.getWidth() === 0) continue
    const look = lookOf(cell)
    const last = runs.at(-1)
    const text = cell.getChars() || ' '
    // A wide character may be drawn wider or narrower than two: what follows begins at its own column again.
    if (last && last.look === look && !last.isWide) last.text += text
    else runs.push({ x, text, look, isWide: false })
    if (cell.getWidth() === 2) runs.at(-1).isWide = true
  }
  return runs.filter(({ text }) => text.trim() !== '')
}

function lookOf(cell) {
  const colour = cell.isFgPalette() ? COLOURS[cell.getFgColor() % 8] : cell.isDim() ? DIM : ''
  return (colour && ` fill="${colour}"`) + (cell.isBold() ? ' font-weight="bold"' : '')
}

function spanOf({ x, text, look }) {
  return `<tspan x="${round(MARGIN + x * COLUMN)}"${look}>${escapeXml(text.trimEnd())}</tspan>`
}

function round(number) {
  return Number(number.toFixed(2))
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
