import { type Log, log } from '../log.ts'
import type { StartOf } from './clock.ts'

/** A web page that tells when to sow what. */
export const GARDEN = '/home/ana/code/garden-web'

const CALENDAR = `export function Month({ days }: { days: Day[] }) {
  return (
    <table>
      {weeks(days).map((week) => <Week days={week} />)}
    </table>
  )
}
`

/** Edits with checkpoints. */
export function keyboard(start: StartOf): Log {
  const reachable = CALENDAR.replace('<table>', '<table role="grid" onKeyDown={moveFocus}>')
  const labelled = reachable.replace('role="grid"', 'role="grid" aria-label="Planting calendar"')
  return log({ version: '2.1.45', cwd: GARDEN, startedAt: start(27, '19:00'), seed: 'demo keyboard' })
    .user('Make the planting calendar usable with the keyboard')
    .readFile('src/calendar/month.tsx', CALENDAR)
    .edit('src/calendar/month.tsx', { before: CALENDAR, after: reachable })
    .assistant('Arrow keys now move between days, Home and End within a week.')
    .user('Screen readers should say what it is')
    .edit('src/calendar/month.tsx', { before: reachable, after: labelled })
    .tool(
      'Bash',
      { command: 'npm run test:a11y', description: 'Check' },
      { output: 'no violations', durationMs: 12_000 },
    )
    .assistant('It is announced as "Planting calendar" now.')
    .title('Keyboard for the calendar')
}

/** A turn stopped while a tool ran. */
export function stopped(start: StartOf): Log {
  return log({ version: '2.1.68', cwd: GARDEN, startedAt: start(24, '20:10'), seed: 'demo stopped' })
    .user('Update all dependencies')
    .assistant('Looking at what is outdated.')
    .tool('Bash', { command: 'npm outdated' }, { output: 'vite 7.1.0 8.0.0\nvitest 3.2.0 4.0.0', exitCode: 1 })
    .assistant('Installing the newest of everything.')
    .interrupt({ forTool: { name: 'Bash', input: { command: 'npm install vite@latest vitest@latest' } } })
    .user('One at a time please, vitest first')
    .tool('Bash', { command: 'npm install vitest@4 && npm test' }, { output: '112 passed', durationMs: 31_000 })
    .assistant('vitest 4 is in, all 112 tests pass. Shall I go on with vite?')
}

/** An agent in the background, and the word that it is done. */
export function pictures(start: StartOf): Log {
  return log({ version: '2.1.200', cwd: GARDEN, startedAt: start(13, '18:25'), seed: 'demo pictures' })
    .user('The photos make the page slow. Look into it while I work on the header.')
    .assistant('I will let an agent measure in the background.')
    .subagent({
      type: 'general-purpose',
      description: 'Measure the photos',
      prompt: 'Which photos on the start page are larger than they are shown, and by how much?',
      steps: (agent) =>
        agent.tool('Bash', { command: 'ls -la public/photos' }, { output: 'tomatoes.jpg 4.1M\nbeans.jpg 3.8M' }),
      result: 'All nine are 4000 pixels wide and shown at 640. As WebP they would take 0.9 MB instead of 31 MB.',
      background: true,
    })
    .assistant('It is on its way. What about the header?')
    .user('Center the logo')
    .edit('src/header.css', { before: '.logo { float: left }\n', after: '.logo { margin-inline: auto }\n' })
    .assistant('Centered.')
    .notification({ agent: 'Measure the photos' })
    .assistant('The photos are six times wider than needed. Converted to WebP the page drops from 31 MB to 0.9 MB.')
    .title('Slow photos')
}

/** A picture in the prompt. */
export function overlap(start: StartOf): Log {
  return log({ version: '2.1.325', cwd: GARDEN, startedAt: start(6, '21:05'), seed: 'demo overlap' })
    .image('The header overlaps the first bed on my phone, see the screenshot')
    .assistant('The header is fixed and the page has no room for it.')
    .readImage('docs/phone.png')
    .edit('src/header.css', {
      before: '.logo { margin-inline: auto }\n',
      after: '.logo { margin-inline: auto }\nmain { padding-block-start: 4rem }\n',
    })
    .assistant('Now the page starts below the header.')
    .bash('git commit -am "fix: leave room for the header"', '[main 3c9e1d0] fix: leave room for the header')
    .assistant('Committed as 3c9e1d0.')
    .aiTitle('Header overlaps on phones')
}
