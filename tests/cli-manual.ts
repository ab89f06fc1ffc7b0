import { flagsOf, flagText, GLOBAL_FLAGS } from '../src/cli/flags.ts'
import type { Schema } from '../src/core/schema.ts'
import { type Field, fieldsOf } from '../src/ops/input.ts'
import type { Command } from '../src/ops/op.ts'

const HEAD = `# The command line

\`annals <command> [arguments] [flags]\`. Data goes to stdout; progress and warnings to stderr. For what to use when, see the pages by
task: [find](find.md), [changes](changes.md), [cost](cost.md), [keep](keep.md), [share](share.md), [look after](care.md). This page is generated from the commands (\`npm run docs\`), and a test compares it with them.

Flags go before or after the command. \`annals help\` shows the commands of every day, \`annals help --all\` the others too, \`annals help flags\` the flags that
every command takes. Other names: \`ls\` and \`log\` are \`sessions\`, \`cost\` is \`usage\`, \`completion\` is \`complete\`. Words that are not a command are searched for.

A \`<session>\` is an id, the start of one, \`last\` (the newest conversation), \`current\` (from a hook with \`--hook\`, from \`ANNALS_SESSION\`, \`CLAUDE_CODE_SESSION_ID\`, \`CLAUDE_SESSION_ID\` or
\`SESSION_CONTEXT\`, else the one that runs in this folder), a slug, a title, or the path of a log. \`agent-<id>\`, or the start of one, names an agent.

A *period* is \`today\`, \`yesterday\`, a weekday, \`week\`, \`last week\`, \`month\`, \`last month\`, \`7d\`, \`24h\`, \`1mo\`, \`2026-11\`, \`2026-11-01\` or an ISO time. In
\`--since\` it means its start, in \`--until\` its end; a length such as \`7d\` means the moment so long ago in both.

Config folders are those of \`--root\`, else of \`CLAUDE_CONFIG_DIR\` (a list, separated as PATH is, or by commas), else \`~/.claude\` and \`~/.config/claude\`.

Exit codes: 0 done; 1 done, but nothing was found, or \`check\` or \`doctor\` found problems; 2 wrong usage, or it could not run; 130 interrupted. A closed pipe is
quiet. A file that cannot be read is named on stderr and in \`warnings\`, and changes the exit code only with \`--strict\`.

\`--json\` prints one object, \`{"schema":"annals/<command>/1", …, "warnings":[]}\`. Times are ISO 8601 in UTC, unknown is \`null\`. A place is \`file\`, \`line\` (from 1), \`offset\` (first
byte) and \`length\` (bytes, without the newline). The JSON Schemas are in the package: \`annals/schemas/operations/<command>.json\`.
\`--format '{id}\\t{title}'\` writes one line for each item instead: names are the fields of one item below, dots lead into them (\`{project.path}\`), \`\\t\`, \`\\n\` and \`\\0\` are
a tab, a new line and a NUL; a template that ends in \`\\0\` gets no new line. A field that is not known is refused.
Piped, text is data only: sums, hints and what to do next go to stderr.
Commands that stay (\`--follow\`, \`serve\`) print one such object per line.
`

/** docs/cli.md, as the operations say it. */
export function cliManual(ops: readonly Command[]): string {
  const links = ops.map(({ name }) => `[${name}](#${name})`).join(' · ')
  return [HEAD, `${links}\n`, '## Every command takes\n', flagTable(GLOBAL_FLAGS), ...ops.map(section)].join('\n')
}

function section(op: Command): string {
  const required = new Set(op.input.required ?? [])
  const given = fieldsOf(op).filter(({ name }) => op.positional.includes(name))
  const usage = given.map(({ name, isList }) => {
    const many = isList ? '…' : ''
    return required.has(name) ? ` <${name}${many}>` : ` [${name}${many}]`
  })
  const own = flagsOf(op)
  return [
    `\n## ${op.name}\n`,
    `${op.summary}\n`,
    `\`annals ${op.name}${usage.join('')}${own.length > 0 ? ' [flags]' : ''}\`\n`,
    ...given.map(({ name, description }) => `- \`${name}\`: ${description}`),
    ...(given.length > 0 ? [''] : []),
    ...(own.length > 0 ? [flagTable(own)] : []),
    ...(op.reaches ? [reachedTable(op.name, op.reaches)] : []),
    `\`\`\`\n${op.examples.join('\n')}\n\`\`\`\n`,
    `\`\`\`\n${shapeOf([op.result], '').join('\n')}\n\`\`\``,
  ].join('\n')
}

function reachedTable(name: string, reaches: NonNullable<Command['reaches']>): string {
  const rows = Object.entries(reaches).map(
    ([word, { command, args = [], summary }]) =>
      `| \`${name} ${word}\` | ${summary} (\`${[command, ...args].join(' ')}\`) |`,
  )
  return ['| reaches | |', '| --- | --- |', ...rows, ''].join('\n')
}

function flagTable(flags: readonly Field[]): string {
  const rows = flags.map((flag) => {
    const short = flag.short ? `\`-${flag.short}\`, ` : ''
    return `| ${short}\`${flagText(flag).replaceAll('|', '\\|')}\` | ${flag.description} |`
  })
  return ['| flag | |', '| --- | --- |', ...rows, ''].join('\n')
}

/** The fields of a result, one line each, what is inside them indented; of variants first what all have. */
function shapeOf(variants: readonly Schema[], indent: string): readonly string[] {
  const [first, ...others] = variants
  const isShared = (name: string) => others.every(({ properties }) => properties && name in properties)
  const shared = Object.entries(first?.properties ?? {}).filter(([name]) => isShared(name))
  const lines = shared.flatMap(([name, field]) => {
    const inner = insideOf(field)
    const note = field.description ?? inner[0]?.description
    const line = `${indent}${name}${typeOf(field)}${note ? `  — ${note}` : ''}`
    return [line, ...shapeOf(inner, `${indent}  `)]
  })
  if (others.length === 0) return lines
  const names = new Set(shared.map(([name]) => name))
  return [...lines, ...variants.map((variant) => `${indent}${variantLine(variant, names)}`)]
}

/** `kind text: messageId, text` */
function variantLine({ properties = {} }: Schema, shared: ReadonlySet<string>): string {
  const own = Object.keys(properties).filter((name) => !shared.has(name))
  return `kind ${properties.kind?.const}: ${own.join(', ')}`
}

/** The objects that a field can hold: all that are told apart by `kind`, else the first. */
function insideOf(field: Schema): readonly Schema[] {
  if (field.properties) return [field]
  if (field.items) return insideOf(field.items)
  const variants = field.anyOf?.flatMap(insideOf) ?? []
  return variants.every(({ properties }) => properties?.kind?.const !== undefined) ? variants : variants.slice(0, 1)
}

function typeOf(field: Schema): string {
  if (field.type === 'array') return '[]'
  const isNullable = field.anyOf?.some((one) => one.type === 'null') ?? false
  if (field.anyOf?.some((one) => one.type === 'array')) return '[] or null'
  return isNullable && insideOf(field).length > 0 ? ' or null' : ''
}
