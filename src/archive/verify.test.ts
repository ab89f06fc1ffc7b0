import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOW, withArchived } from '../../tests/support/made-archive.ts'
import { repairArchive } from './repair.ts'
import { verifyArchive } from './verify.ts'

const LOG = 'projects/-p/3f9a.jsonl'
const OTHER = 'projects/-p/77.jsonl'
const FILES = { [LOG]: 'the first line\n', [OTHER]: 'another session\n', 'tasks/77/1.json': '{"id":"1"}' }
const options = { now: NOW }

function flip(path: string, at: number, bit = at % 8): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] as number) ^ (1 << bit)
  writeFileSync(path, bytes)
}

test('a sound archive has no problem', () =>
  withArchived(FILES, async ({ sync, folder }) => {
    await sync()
    expect(verifyArchive(folder, options)).toMatchObject({ files: 3, objects: 3, idle: 0, problems: [] })
  }))

test('every flipped bit of every file is found, and what it touches is named', () =>
  withArchived(FILES, async ({ sync, folder, file, root }) => {
    await sync()
    const data = join(folder, 'data')
    for (const name of readdirSync(data)) {
      const path = join(data, name)
      const bytes = readFileSync(path)
      const isObject = name.endsWith('.gz')
      const touched = [LOG, OTHER, 'tasks/77/1.json'].find(
        (one) => file(one).generations[0]?.frames[0]?.sha256 === name.slice(0, 64),
      ) as string
      for (let at = 0; at < bytes.length; at += isObject ? 1 : 19) {
        flip(path, at)
        const { problems } = verifyArchive(folder, options)
        expect(problems.length, `${name} byte ${at}`).toBe(1)
        expect(problems[0]?.file).toBe(path)
        const { owner: session } = file(touched)
        const to = FILES[touched as keyof typeof FILES].length
        const touches = [{ session, root, path: touched, generation: 1, from: 0, to }]
        expect(problems[0]?.touches).toEqual(isObject ? touches : [])
        writeFileSync(path, bytes)
      }
    }
    const manifest = join(folder, 'manifest')
    const bytes = readFileSync(manifest)
    for (let at = 0; at < bytes.length; at += 29) {
      flip(manifest, at)
      const { problems } = verifyArchive(folder, options)
      expect(problems.length, `manifest byte ${at}`).toBeGreaterThan(0)
      expect(problems.every((one) => one.file === manifest)).toBe(true)
      writeFileSync(manifest, bytes)
    }
  }))

test('a missing, a longer, a shorter and an exchanged object are found', () =>
  withArchived(FILES, async ({ sync, folder }) => {
    await sync()
    const names = readdirSync(join(folder, 'data')).filter((name) => name.endsWith('.gz'))
    const [first, second] = names.map((name) => join(folder, 'data', name)) as [string, string]
    const bytes = readFileSync(first)
    const damages = [
      () => rmSync(first),
      () => writeFileSync(first, Buffer.concat([bytes, Buffer.from('x')])),
      () => writeFileSync(first, bytes.subarray(1)),
      () => writeFileSync(first, readFileSync(second)),
      () => writeFileSync(first, ''),
    ]
    for (const damage of damages) {
      damage()
      chmodSync(second, 0o600)
      expect(verifyArchive(folder, options).problems.filter(({ file }) => file === first).length).toBeGreaterThan(0)
      writeFileSync(first, bytes)
    }
  }))

test('is repaired from the original where that is still there', () =>
  withArchived(FILES, async ({ sync, folder, content, file, remove }) => {
    await sync()
    remove(OTHER)
    const path = (one: string) => join(folder, 'data', `${file(one).generations[0]?.frames[0]?.sha256}.gz`)
    flip(path(LOG), 12)
    flip(path(OTHER), 12)
    flip(join(folder, 'manifest'), 400)
    const { problems } = await repairArchive(folder, options)
    expect(problems.map(({ file, repaired }) => ({ file, repaired }))).toEqual([
      { file: join(folder, 'manifest'), repaired: true },
      { file: path(LOG), repaired: true },
      { file: path(OTHER), repaired: false },
    ])
    expect(content(LOG)).toBe(FILES[LOG])
    const left = verifyArchive(folder, options).problems
    expect(left.map(({ file }) => file)).toEqual([path(OTHER)])
  }))

test('a file about which the manifest lost something is taken anew', () =>
  withArchived(FILES, async ({ sync, folder, content }) => {
    await sync()
    const manifest = join(folder, 'manifest')
    const lines = readFileSync(manifest, 'utf8').split('\n')
    const at = lines.findIndex((line) => line.startsWith('frame\t2\t'))
    lines[at] = 'nothing that was ever written'
    writeFileSync(manifest, lines.join('\n'))
    const { problems } = await repairArchive(folder, options)
    expect(problems.length).toBeGreaterThan(0)
    expect(verifyArchive(folder, options).problems).toEqual([])
    for (const path of [LOG, OTHER, 'tasks/77/1.json'] as const) expect(content(path)).toBe(FILES[path])
  }))

test('what others can read is found and closed', () =>
  withArchived(FILES, async ({ sync, folder }) => {
    await sync()
    chmodSync(join(folder, 'manifest'), 0o644)
    chmodSync(folder, 0o755)
    expect(verifyArchive(folder, options).problems.length).toBe(2)
    expect((await repairArchive(folder, options)).problems.every(({ repaired }) => repaired)).toBe(true)
    expect(verifyArchive(folder, options).problems).toEqual([])
  }))

test('files that a killed process never finished are no problem, and are cleared away', () =>
  withArchived(FILES, async ({ sync, folder }) => {
    await sync()
    const left = [`${'b'.repeat(64)}.gz.tmp`, `${'b'.repeat(64)}.of.tmp`, `${'c'.repeat(64)}.of`]
    for (const name of left) writeFileSync(join(folder, 'data', name), 'x', { mode: 0o600 })
    expect(verifyArchive(folder, options)).toMatchObject({ idle: 3, problems: [] })
    await sync()
    expect(verifyArchive(folder, options)).toMatchObject({ idle: 0, problems: [] })
  }))
