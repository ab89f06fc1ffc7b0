import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, withFolder } from '../../tests/support/made-folder.ts'
import { listedSessions } from '../history/families.ts'
import { linkedAgents } from '../history/family.ts'
import { History } from '../history/history.ts'
import { log } from '../testing/index.ts'
import { fileLibrary } from './one-file.ts'

/** The files of a log, lying in a folder that is no root. */
function laidOut(made: ReturnType<typeof log>, folder: string) {
  const files = made.files().filter((file) => file.path.startsWith('projects/'))
  return Object.fromEntries(files.map((file) => [join(folder, ...file.path.split('/').slice(2)), file.content]))
}

test.each(['1.0.128', '2.0.37', '2.0.77', '2.1.45', '2.1.325'])(
  '%s: a log anywhere has its session and its agents',
  async (version) => {
    const made = log({ version })
      .user('one')
      .subagent({ description: 'Count', prompt: 'Count it.', result: 'Three.' })
      .assistant('a')
    const other = log({ version, seed: 'other' }).user('else').assistant('b')
    await inFolder({ ...laidOut(made, 'some/where'), ...laidOut(other, 'some/where') }, async (folder) => {
      const library = fileLibrary(join(folder, 'some/where', `${made.sessionId}.jsonl`))
      const listed = await listedSessions(new History({ library, warn: () => {} }))
      const sessions = listed.filter(({ log: own }) => own)
      expect(sessions.map((session) => session.id)).toEqual([made.sessionId])
      const [session] = sessions
      expect(session?.project).toMatchObject({ key: 'where' })
      expect(linkedAgents(library, session as NonNullable<typeof session>)).toMatchObject([
        { prompt: 'Count it.', session: made.sessionId, class: 'task' },
      ])
      library.close()
    })
  },
)

test('a log with a name that is no UUID', () => {
  withFolder({ 'saved/my log.jsonl': log().user('one').content() }, (folder) => {
    const library = fileLibrary(join(folder, 'saved/my log.jsonl'))
    expect(library.sessions().map((session) => session.id)).toEqual(['my log'])
    library.close()
  })
})

test('a log with another ending', () => {
  withFolder({ 'saved/log.txt': log().user('one').content() }, (folder) => {
    const library = fileLibrary(join(folder, 'saved/log.txt'))
    expect(library.sessions()).toHaveLength(1)
    library.close()
  })
})
