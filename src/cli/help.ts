import { nearest } from '../core/nearest.ts'
import { type Field, fieldsOf } from '../ops/input.ts'
import type { Command } from '../ops/op.ts'
import { commands } from './commands.ts'
import { flagsOf, flagText, GLOBAL_FLAGS } from './flags.ts'
import { writeText } from './output.ts'
import { columns } from './terminal/columns.ts'
import { createStyle, type Style, shouldColour } from './terminal/style.ts'
import { VERSION } from './version.ts'

/** Prints the help of a command, or of all of them. */
export async function printHelp(name: string | undefined): Promise<number> {
  const style = createStyle({ colour: shouldColour(process.env, process.stdout.isTTY === true) })
  const width = process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY
  if (name === undefined || name.startsWith('-')) {
    await writeText(await overview(style, width), { noPager: false })
    return 0
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) {
    const meant = nearest(name, Object.keys(commands))
    process.stderr.write(`There is no command of that name.${meant ? ` Did you mean ${meant}?` : ''}\n`)
    return 2
  }
  await writeText(commandHelp(await load(), style, width), { noPager: false })
  return 0
}

async function overview(style: Style, width: number): Promise<readonly string[]> {
  const ops = await Promise.all(Object.values(commands).map((load) => load()))
  return [
    `${style.title('annals')} ${VERSION} · what Claude Code keeps, given back to you`,
    '',
    '  annals <command> [arguments] [flags]',
    '',
    ...indented(
      columns(
        [
          ...ops.map((op) => [style.accent(op.name), op.summary]),
          [style.accent('help'), 'Show the help of a command.'],
          [style.accent('complete'), 'Print completion for bash, zsh, fish or powershell.'],
        ],
        { width: width - 2 },
      ),
    ),
    '',
    style.strong('Every command takes'),
    ...indented(flagLines(GLOBAL_FLAGS, style, width - 2)),
    '',
    style.dim('A <session> is an id or its start, last, current, a slug, a title, or the path of a log.'),
  ]
}

function commandHelp(op: Command, style: Style, width: number): readonly string[] {
  const required = new Set(op.input.required ?? [])
  const fields = fieldsOf(op)
  const args = op.positional.map((name) => {
    const isList = fields.find((field) => field.name === name)?.isList
    return required.has(name) ? `<${name}>${isList ? '…' : ''}` : `[${name}${isList ? '…' : ''}]`
  })
  const given = fields.filter((field) => op.positional.includes(field.name))
  const own = flagsOf(op)
  return [
    op.summary,
    '',
    ...op.examples.map((example) => `  ${style.accent(example)}`),
    '',
    `${style.strong('Usage')}  annals ${[op.name, ...args].join(' ')} [flags]`,
    ...indented(
      columns(
        given.map((field) => [field.name, field.description]),
        { width: width - 2 },
      ),
    ),
    ...(own.length > 0 ? ['', style.strong('Flags'), ...indented(flagLines(own, style, width - 2))] : []),
    '',
    style.strong('Every command takes'),
    ...indented(flagLines(GLOBAL_FLAGS, style, width - 2)),
  ]
}

function flagLines(flags: readonly Field[], style: Style, width: number): readonly string[] {
  return columns(
    flags.map((flag) => [style.accent(`${flag.short ? `-${flag.short}, ` : ''}${flagText(flag)}`), flag.description]),
    { width },
  )
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
