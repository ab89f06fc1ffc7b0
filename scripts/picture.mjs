// Draws what a command prints on a terminal as an SVG, for the README: node scripts/picture.mjs
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`)
const COLOURS = {
  2: '#8b949e',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
}
const WIDTH = 92

const demo = mkdtempSync(join(tmpdir(), 'annals-picture-'))
const { writeDemoRoot } = await import('../dist/testing.mjs')
writeDemoRoot(demo, new Date())
const shown = ['sessions --limit 6', 'show "Fix token refresh race"'].flatMap((command) => {
  const args = command.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ''))
  const text = execFileSync(
    'script',
    [
      '-qec',
      `stty cols ${WIDTH} rows 200; node dist/cli.mjs ${args.map((a) => `'${a}'`).join(' ')} --root ${demo} --no-pager --no-index --color`,
      '/dev/null',
    ],
    // The state and settings of the one who draws must not be in the picture.
    { encoding: 'utf8', env: { ...process.env, ANNALS_HOME: join(demo, 'state') } },
  )
  return [`\u001b[32m$\u001b[0m annals ${command}`, ...text.replaceAll('\r', '').trimEnd().split('\n'), '']
})
rmSync(demo, { recursive: true, force: true })

const height = shown.length * 18 + 24
const lines = shown.map((line, i) => `<text x="16" y="${30 + i * 18}" xml:space="preserve">${spans(line)}</text>`)
writeFileSync(
  'docs/terminal.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH * 8.43 + 32}" height="${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#c9d1d9">
<title>annals on a terminal</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${lines.join('\n')}
</svg>
`,
)

/** The coloured pieces of a line. Only bold and the basic colours are used by annals. */
function spans(line) {
  let fill = ''
  let weight = ''
  return line
    .split(SEQUENCE)
    .map((part, i) => {
      if (i % 2 === 0) return part === '' ? '' : `<tspan${fill}${weight}>${escapeXml(part)}</tspan>`
      for (const code of part.split(';').map(Number)) {
        if (code === 0 || code === 39) fill = ''
        if (code === 0 || code === 22) weight = ''
        if (code === 22 && fill.includes(COLOURS[2])) fill = ''
        if (code === 1) weight = ' font-weight="bold"'
        else if (COLOURS[code]) fill = ` fill="${COLOURS[code]}"`
      }
      return ''
    })
    .join('')
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
