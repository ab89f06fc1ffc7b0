import { homedir } from 'node:os'
import { demonstrate } from '../collector/team/demo.ts'
import { team } from '../ops/team.ts'
import { formatTeam } from './format/team.ts'
import { writeText } from './output.ts'
import { createStyle, shouldColour } from './terminal/style.ts'
import type { View } from './view.ts'

const SHARED = '/home/team/shop'

/** `annals collect --demo`: three made-up machines and a team store, here, for a moment. */
export async function runTeamDemo(): Promise<number> {
  const { log, root, writeDemoRoot } = await import('../testing/index.ts')
  const now = new Date()
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const startedAt = new Date(now.getTime() - 3 * 86_400_000).toISOString()
  const result = await demonstrate({
    ask: async (context, input) => team.run(context, input),
    path: process.env.PATH ?? '',
    now,
    people: ['ana', 'ben', 'lena'],
    say,
    writeRoot(folder, person) {
      if (person === 'ana') writeDemoRoot(folder, now)
      const session = log({ seed: `team ${person}`, cwd: SHARED, startedAt })
        .user('Why does the counter at the gate count twice?')
        .assistant('I will look.', { thinking: 'Perhaps both edges.' })
        .tool('Bash', { command: 'grep -rn counter src' }, { output: 'src/gate.ts:4: counter' })
        .assistant('It counts both edges.')
      const own = log({ seed: `own ${person}`, cwd: `/home/${person}/notes`, startedAt })
        .user('Put this week into three sentences.')
        .assistant('Three sentences it is.')
      root().add(session).add(own).write(folder)
    },
  })
  const { stdout } = process
  const view: View = {
    style: createStyle({ colour: shouldColour(process.env, stdout.isTTY === true, undefined) }),
    width: stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    now,
    home: homedir(),
    timeZone: process.env.TZ || undefined,
    tools: 'brief',
    input: {},
  }
  const lines = [
    'Usage by person, as an administrator sees it',
    ...formatTeam(result.byPerson, view),
    '',
    'Usage by project, where at least two people work (a real store asks for five)',
    ...formatTeam(result.byProject, view),
    '',
    'docs/team.md shows how to set up a real one.',
  ]
  await writeText(lines, { noPager: true })
  return 0
}
