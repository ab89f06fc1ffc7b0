// Draws what a command prints on a terminal as an SVG, for the README: node scripts/picture.mjs
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COLOURS = {
  1: '#f0f0f0',
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
      `stty cols ${WIDTH} rows 200; node dist/cli.mjs ${args.map((a) => `'${a}'`).join(' ')} --root ${demo} --no-pager --color`,
      '/dev/null',
    ],
    { encoding: 'utf8' },
  )
  return [`\u001b[32m$\u001b[0m annals ${command}`, ...text.replaceAll('\r', '').trimEnd().split('\n'), '']
})
rmSync(demo, { recursive: true, force: true })

const height = shown.length * 18 + 24
const lines = shown.map((line, i) => `<text x="16" y="${30 + i * 18}" xml:space="preserve">${spans(line)}</text>`)
writeFileSync(
  'docs/terminal.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH * 8.43 + 32}" height="${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#c9d1d9">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${lines.join('\n')}
</svg>
`,
)

function spans(line) {
  let fill = ''
  let weight = ''
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part) => {
      const code = /^\u001b\[([\d;]*)m$/.exec(part)
      if (!code) return part === '' ? '' : `<tspan${fill}${weight}>${escape(part)}</tspan>`
      for (const number of code[1].split(';').map(Number)) {
        if (number === 0 || number === 39 || number === 22)
          [fill, weight] =
            number === 39 ? ['', weight] : number === 22 ? [fill === ` fill="${COLOURS[2]}"` ? '' : fill, ''] : ['', '']
        else if (number === 1) weight = ' font-weight="bold"'
        else if (COLOURS[number]) fill = ` fill="${COLOURS[number]}"`
      }
      return ''
    })
    .join('')
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
