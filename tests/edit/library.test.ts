import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHistory } from '../../src/index.ts'
import { editedRoot } from '../support/edited-root.ts'

test('a session can be edited by a program, and each edit undone', async () => {
  const made = editedRoot()
  try {
    await using history = await openHistory({ roots: [made.root], home: made.dataDir })
    const before = made.picture()
    const session = await history.session(made.sessionId)
    const planned = await session.rename('By a program', { dryRun: true })
    expect(planned).toMatchObject({
      id: null,
      applied: false,
      plan: [{ action: 'append', rows: 2 }, { action: 'write' }],
    })
    expect(made.picture()).toEqual(before)

    await session.rename('By a program')
    expect((await history.session('By a program')).id).toBe(made.sessionId)
    await session.tag('x')
    await session.star()
    await session.note('noted')
    expect((await history.session(made.sessionId)).info).toMatchObject({ tags: ['x'], starred: true, note: 'noted' })
    const { created } = await session.fork(1)
    expect((await history.session(created as string)).info).toMatchObject({ forkedFrom: made.sessionId })
    await session.rewind(2)
    expect((await (await history.session(made.sessionId)).open()).active.turns).toHaveLength(2)
    const to = join(made.folder, 'elsewhere')
    mkdirSync(to)
    await session.move(to)
    expect((await history.session(made.sessionId)).info.project.path).toBe(to)
    const { id } = await session.prune()
    await session.delete()
    await expect(history.session(made.sessionId)).rejects.toThrow()

    for (const _ of ['delete', 'prune', 'move', 'rewind', 'fork', 'tag', 'rename']) await history.undo()
    await expect(history.undo()).rejects.toThrow('There is no edit to undo')
    await expect(history.undo(id as string)).rejects.toThrow('was already undone')
    expect(made.picture()).toEqual(before)
    expect(readFileSync(made.log, 'utf8')).not.toContain('By a program')
  } finally {
    made.remove()
  }
})
