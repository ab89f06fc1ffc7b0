import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadMachine } from './machine.ts'
import { StateFile } from './state.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-machine-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name, 'collect')
/** A system that has an id, and one that has none: macOS, Windows, a container. */
const SYSTEMS = ['one and the same', null]
const load = (name: string, system: string | null) => loadMachine(at(name), system)

test.each(SYSTEMS)('a home that was copied has an id of its own, also where the id of the system is %s', (system) => {
  const { id, key } = load('home', system)
  expect(load('home', system)).toEqual({ id, key })
  cpSync(join(folder, 'home'), join(folder, 'copy'), { recursive: true, preserveTimestamps: true })
  const copy = load('copy', system)
  expect(copy.id).not.toBe(id)
  expect(copy.key).not.toEqual(key)
  expect(load('copy', system), 'for good').toEqual(copy)
  expect(load('home', system), 'and the first keeps its own').toEqual({ id, key })
})

test('a home that moved, and one that was brought back to its place, keeps its id', () => {
  const { id } = load('home', 'x')
  renameSync(join(folder, 'home'), join(folder, 'moved'))
  expect(load('moved', 'x').id).toBe(id)
  renameSync(join(folder, 'moved'), join(folder, 'aside'))
  cpSync(join(folder, 'aside'), join(folder, 'moved'), { recursive: true })
  expect(load('moved', 'x').id).toBe(id)
})

test('another system is another machine', () => {
  const { id } = load('home', 'x')
  expect(load('home', 'y').id).not.toBe(id)
})

test('where the file is lost, what is remembered of a destination still says the id', () => {
  const { id, key } = load('home', 'x')
  const state = new StateFile(at('home'), 'folder:/a')
  state.write({ ...state.read('folder:/a'), machine: id, savedAt: '2026-11-14T10:00:00.000Z' })
  for (const lost of ['', '{"id"', `{"id":"${id}"}`]) {
    mkdirSync(at('home'), { recursive: true })
    writeFileSync(join(at('home'), 'machine.json'), lost)
    const again = load('home', 'x')
    expect(again.id).toBe(id)
    expect(again.key).not.toEqual(key)
  }
})
