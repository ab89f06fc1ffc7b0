import { Failure } from '../core/failure.ts'
import { nearest } from '../core/nearest.ts'
import { commands } from './commands.ts'
import { plainWords } from './flags.ts'

/** What a word that is no command was probably meant to be, as a failure that proposes it; `undefined` where nothing is near. */
export function nearMiss(name: string, args: readonly string[]): Failure | undefined {
  const words = plainWords(args)
  const isSentence = words.length > 1
  const other = isSentence || !Object.hasOwn(ELSEWHERE, name) ? undefined : ELSEWHERE[name]
  const meant = other ?? nearest(name, [...Object.keys(commands), 'help', 'complete'])
  if (meant === undefined) return undefined
  const hint = `Run \`annals help\` to see the commands, or \`annals search ${[name, ...words].join(' ')}\` to find the words.`
  return new Failure('USAGE', `There is no command "${name}". Did you mean \`annals ${meant}\`?`, { hint })
}

/** What other programs call it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  list: 'sessions',
  history: 'sessions',
  open: 'show',
  view: 'show',
  cat: 'show',
  print: 'show',
  grep: 'search',
  diff: 'files',
  costs: 'usage',
  spend: 'usage',
  price: 'usage',
  tokens: 'usage',
  daily: 'usage --by day',
  weekly: 'usage --by week',
  monthly: 'usage --by month',
  blocks: 'usage --by block',
  session: 'sessions',
  backup: 'keep',
  save: 'keep',
  sync: 'keep',
  verify: 'keep verify',
  restore: 'keep restore',
  share: 'export',
  continue: 'resume',
  watch: 'tail --follow',
  follow: 'tail --follow',
  web: 'serve',
  ui: 'serve',
  app: 'serve',
  delete: 'purge',
  remove: 'purge',
  rm: 'purge',
  flags: 'help flags',
  commands: 'help --all',
  reindex: 'index --rebuild',
  validate: 'check',
}
