import { type Field, fieldsOf } from '../ops/input.ts'
import { type Command, HELP_GROUPS } from '../ops/op.ts'
import { aliasesOf } from './commands.ts'
import { flagsOf, flagText, GLOBAL_FLAGS } from './flags.ts'
import type { Style } from './terminal/style.ts'
import { padEnd, width as widthOf, wrap } from './terminal/width.ts'
import { VERSION } from './version.ts'

/** How a page looks. */
export interface Look {
  readonly style: Style
  readonly width: number
}

/** The verbs, in groups: one screen of 80 by 24. */
export function overviewPage(all: readonly Command[], { style }: Look): readonly string[] {
  const lines = HELP_GROUPS.flatMap((group) =>
    all
      .filter((op) => op.group === group)
      .map((op, at) => {
        const label = padEnd(at === 0 ? style.strong(group) : '', GROUP_COLUMN)
        return `  ${label}${padEnd(style.accent(op.name), NAME_COLUMN)}${op.summary}`
      }),
  )
  return [
    `${style.title('annals')} ${VERSION} · your Claude Code history: find it, read it, count it, keep it`,
    '',
    ...lines,
    style.dim('annals help COMMAND · help --all · help flags · `annals some words` searches'),
  ]
}

const GROUP_COLUMN = 12
const NAME_COLUMN = 10

/** Every command there is, in each group those of the first page first. */
export function allCommandsPage(all: readonly Command[], look: Look): readonly string[] {
  const { style, width } = look
  const groups = HELP_GROUPS.map((group) => ({
    title: group as string,
    ops: [...all.filter((op) => op.group === group), ...all.filter((op) => op.alsoIn === group)],
  }))
  const plumbing = all.filter((op) => (op.group ?? op.alsoIn) === undefined)
  return [
    `${style.title('annals')} <command> [arguments] [flags]`,
    ...[...groups, { title: 'Plumbing, mostly for scripts', ops: plumbing }]
      .filter(({ ops }) => ops.length > 0)
      .flatMap(({ title, ops }) => [
        '',
        style.strong(title),
        ...definitions(
          ops.map((op) => [style.accent(op.name), op.summary]),
          width,
        ),
      ]),
    '',
    ...wrap(
      'A <session> is an id or the start of one, last, current, a title, a slug, or the path of a log.',
      width,
    ).map(style.dim),
    ...wrap('A <point> is SESSION:TURN, SESSION:UUID or FILE:LINE.', width).map(style.dim),
  ]
}

/** What a command does, three examples, its arguments and its own flags. */
export function commandPage(op: Command, { style, width }: Look): readonly string[] {
  const required = new Set(op.input.required ?? [])
  const fields = fieldsOf(op)
  const given = fields.filter((field) => op.positional.includes(field.name))
  const own = flagsOf(op)
  const args = given.map(({ name, isList }) => {
    const many = isList ? '…' : ''
    return required.has(name) ? `<${name}${many}>` : `[${name}${many}]`
  })
  const aliases = aliasesOf(op.name)
  const section = (title: string, rows: readonly Definition[]) =>
    rows.length === 0 ? [] : ['', style.strong(title), ...definitions(rows, width)]
  return [
    ...wrap(op.summary, width),
    ...(aliases.length > 0 ? [style.dim(`Also: ${aliases.map((alias) => `annals ${alias}`).join(', ')}`)] : []),
    '',
    `${style.strong('Usage')}  annals ${[op.name, ...args].join(' ')}${own.length > 0 ? ' [flags]' : ''}`,
    '',
    ...op.examples.slice(0, EXAMPLES).map((example) => `  ${style.accent(example)}`),
    ...section(
      'Arguments',
      given.map((field) => [field.name, described(field)]),
    ),
    ...section(
      'Views',
      Object.entries(op.reaches ?? {}).map(([name, { summary }]) => [style.accent(name), summary]),
    ),
    ...section('Flags', flagRows(own, style)),
    '',
    style.dim('Run `annals help flags` for the flags that every command takes.'),
  ]
}

const EXAMPLES = 3

/** What a plain argument is, and the words it can be where these are all. */
function described({ choices, description }: Field): string {
  const isTold = choices.every((choice) => description.includes(choice))
  return isTold ? description : `${description}: ${choices.join(', ')}`
}

/** The flags that every command takes. */
export function flagsPage({ style, width }: Look): readonly string[] {
  return [style.strong('Every command takes'), ...definitions(flagRows(GLOBAL_FLAGS, style), width)]
}

function flagRows(flags: readonly Field[], style: Style): readonly Definition[] {
  return flags.map((flag) => {
    // Of many words, each stands where lines can be broken.
    const isLong = flagText(flag).length > WIDEST_FLAG
    const text = isLong ? `--${flag.name} ${flag.name.toUpperCase()}` : flagText(flag)
    return [style.accent(`${flag.short ? `-${flag.short}, ` : ''}${text}`), isLong ? described(flag) : flag.description]
  })
}

const WIDEST_FLAG = 60

type Definition = readonly [term: string, meaning: string]

/** Terms and what they mean, side by side; a term that is too wide stands on a line of its own. */
function definitions(rows: readonly Definition[], width: number): readonly string[] {
  const widest = Math.max(0, ...rows.map(([term]) => widthOf(term)).filter((columns) => columns <= WIDEST_TERM))
  const lead = ' '.repeat(widest + 4)
  return rows.flatMap(([term, meaning]) => {
    const [first = '', ...rest] = wrap(meaning, Math.max(20, width - lead.length))
    const isBeside = widthOf(term) <= widest
    const head = isBeside ? [`  ${padEnd(term, widest)}  ${first}`] : [`  ${term}`, lead + first]
    return [...head, ...rest.map((line) => lead + line)].map((line) => line.trimEnd())
  })
}

const WIDEST_TERM = 26
