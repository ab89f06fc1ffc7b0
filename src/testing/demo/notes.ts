import { type Log, log } from '../log.ts'
import type { StartOf } from './clock.ts'

/** A folder of notes. */
export const NOTES = '/home/ana/notes'

/** A long list, pasted into a prompt of `reading`. */
export const READING_LIST = Array.from(
  { length: 40 },
  (_, index) =>
    `${index + 1}. A book about ${['rivers', 'bridges', 'bread', 'maps', 'wool'][index % 5]}, part ${1 + Math.floor(index / 5)}`,
).join('\n')

/** An old client and a pasted list. */
export function reading(start: StartOf): Log {
  return log({ version: '2.1.4', cwd: NOTES, startedAt: start(33, '07:45'), seed: 'demo reading', gitBranch: '' })
    .warmup()
    .user(`Sort this by subject and drop what appears twice:\n${READING_LIST}`)
    .writeFile('reading.md', '# Reading\n\n## Bread\n\n## Bridges\n\n## Maps\n\n## Rivers\n\n## Wool\n')
    .assistant('Sorted into five subjects. Nothing was there twice.')
}

/** A request that failed, and the second try. */
export function overloaded(start: StartOf): Log {
  return log({ version: '2.1.200', cwd: NOTES, startedAt: start(16, '06:50'), seed: 'demo overloaded', gitBranch: '' })
    .user('What did I decide about the greenhouse last month?')
    .apiError('overloaded')
    .user('Try again')
    .tool('Grep', { pattern: 'greenhouse', path: NOTES }, { output: 'garden.md:12: greenhouse: wait until spring' })
    .assistant('To wait until spring (garden.md, line 12).')
}

/** A prompt that came while the model worked. */
export function weekly(start: StartOf): Log {
  return log({ version: '2.1.325', cwd: NOTES, startedAt: start(2, '08:00'), seed: 'demo weekly', gitBranch: '' })
    .user('Write the weekly note from my daily ones')
    .assistant('Reading the last seven days.')
    .tool('Bash', { command: 'cat daily/*.md | tail -n 60' }, { output: 'Mon: api release\nTue: beans\nWed: rain' })
    .queued('leave out the weather')
    .writeFile('weekly/this-week.md', '# This week\n\n- Prepared the release of api\n- Sowed the beans\n')
    .assistant('Written to weekly/this-week.md, without the weather.')
    .command('/usage', { output: 'Current session: 4% used' })
    .title('Weekly note')
}
