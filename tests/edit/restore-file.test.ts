import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { planRestoreFile } from '../../src/edit/restore-file.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'annals-restore-file-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const cwd = join(folder, 'work')
const root = join(folder, 'root')
for (const name of [cwd, root, join(folder, 'outside')]) mkdirSync(name)
writeFileSync(join(folder, 'outside/x'), 'mine')
symlinkSync(join(folder, 'outside'), join(cwd, 'away'))
symlinkSync(root, join(cwd, 'root'))
symlinkSync(join(folder, 'outside/x'), join(cwd, 'link'))

const plan = (path: string, force = false) =>
  planRestoreFile({ path, bytes: Buffer.from('old'), when: 'then', cwd, closed: [root] }, force)

describe('where a file is put back', () => {
  test.each(['a.ts', 'deep/er/b.ts'])('below the folder of its session: %s', (name) => {
    expect(plan(join(cwd, name)).steps.at(-1)).toMatchObject({ action: 'write', path: join(cwd, name) })
  })

  test.each([
    ['beside it', join(folder, 'work-docker/x'), /leads out of/],
    ['above it', join(folder, 'x'), /leads out of/],
    ['by dots', `${cwd}/../outside/x`, /leads out of/],
    ['behind a link', join(cwd, 'away/x'), /leads out of/],
    ['in the system', '/etc/passwd', /leads out of/],
  ])('not %s, unless that is meant', (_, path, said) => {
    expect(() => plan(path)).toThrow(said)
  })

  test.each([
    ['a root', join(root, 'projects/x.jsonl'), /folder of Claude Code/],
    ['a root behind a link', join(cwd, 'root/x'), /folder of Claude Code/],
    ['a link', join(cwd, 'link'), /is a link/],
  ])('never into %s', (_, path, said) => {
    expect(() => plan(path, true)).toThrow(said)
  })
})
