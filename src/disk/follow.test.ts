import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskSource } from './disk-source.ts'
import { type FollowEvent, type FollowOptions, followLog } from './follow.ts'

let folder: string
let path: string
let stop: AbortController

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-'))
  mkdirSync(join(folder, 'projects/-p'), { recursive: true })
  path = join(folder, 'projects/-p/s.jsonl')
  writeFileSync(path, '{"n":0}\n{"n":1}\n')
  stop = new AbortController()
})

afterEach(() => {
  stop.abort()
  rmSync(folder, { recursive: true, force: true })
})

const brief = (event: FollowEvent) =>
  event.kind === 'record' ? event.record.raw.n : event.kind === 'rewritten' ? event.reason : event.kind

/** Follows the log while `change` changes it, step by step; each step waits until its events have come. */
async function follow(steps: readonly [change: () => void, events: number][], options: FollowOptions = {}) {
  const source = diskSource([folder])
  const [entry] = source.list()
  const followed = followLog(source, entry as NonNullable<typeof entry>, {
    everyMs: 2,
    signal: stop.signal,
    ...options,
  })
  const events: FollowEvent[] = []
  // The first look happens with the first `next`: what is there by then is not new.
  let next = followed.next()
  await pause()
  for (const [change, count] of steps) {
    change()
    for (let i = 0; i < count; i++) {
      const { value, done } = await next
      if (done) break
      events.push(value)
      next = followed.next()
    }
    await pause()
  }
  stop.abort()
  const rest = await next
  if (!rest.done) events.push(rest.value)
  source.close()
  return events
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 30))

test('appended lines come once, with their places; what was there before does not', async () => {
  const events = await follow([
    [() => appendFileSync(path, '{"n":2}\n'), 1],
    [() => appendFileSync(path, '{"n":3}\n\n{"n":4}\n'), 2],
  ])
  expect(events.map(brief)).toEqual([2, 3, 4])
  const places = events.map((event) =>
    event.kind === 'record' ? [event.record.place.line, event.record.place.offset] : [],
  )
  expect(places).toEqual([
    [3, 16],
    [4, 24],
    [6, 33],
  ])
})

test('follows from a place', async () => {
  const events = await follow([[() => {}, 1]], { from: { offset: 8, line: 1 } })
  expect(events.map(brief)).toEqual([1])
})

test('half a line waits for its end', async () => {
  const events = await follow([
    [() => appendFileSync(path, '{"n":2'), 0],
    [() => appendFileSync(path, ',"x":"é'), 0],
    [() => appendFileSync(path, '"}'), 0],
    [() => appendFileSync(path, '\n{"n":3}'), 1],
    [() => appendFileSync(path, '\n'), 1],
  ])
  expect(events.map(brief)).toEqual([2, 3])
})

test('half a line that was there at the start comes when it is whole', async () => {
  appendFileSync(path, '{"n":')
  expect((await follow([[() => appendFileSync(path, '2}\n'), 1]])).map(brief)).toEqual([2])
})

test('a truncated log is told and read anew', async () => {
  const events = await follow([
    [() => truncateSync(path, 8), 2],
    [() => appendFileSync(path, '{"n":7}\n'), 1],
  ])
  expect(events.map(brief)).toEqual(['truncated', 0, 7])
})

test('an emptied log is told, and what is written then comes', async () => {
  const events = await follow([
    [() => truncateSync(path, 0), 1],
    [() => appendFileSync(path, '{"n":7}\n'), 1],
  ])
  expect(events.map(brief)).toEqual(['truncated', 7])
})

test('a log written anew in place is told and read anew', async () => {
  const events = await follow([[() => writeFileSync(path, '{"n":5}\n{"n":6}\n{"n":7}\n'), 4]])
  expect(events.map(brief)).toEqual(['rewritten', 5, 6, 7])
})

test('a log replaced by another file is told and read anew', async () => {
  const replace = () => {
    writeFileSync(`${path}.new`, '{"n":5}\n{"n":6}\n{"n":7}\n')
    renameSync(`${path}.new`, path)
  }
  expect((await follow([[replace, 4]])).map(brief)).toEqual(['replaced', 5, 6, 7])
})

test('a log replaced by one that begins with the same lines goes on', async () => {
  const replace = () => {
    writeFileSync(`${path}.new`, '{"n":0}\n{"n":1}\n{"n":2}\n')
    renameSync(`${path}.new`, path)
  }
  expect((await follow([[replace, 1]])).map(brief)).toEqual([2])
})

test('a removed log ends it', async () => {
  expect((await follow([[() => rmSync(path), 1]])).map(brief)).toEqual(['gone'])
})

test('bad lines are passed over', async () => {
  const events = await follow([[() => appendFileSync(path, 'bad\n{"n":2}{"n":3}\n\0\0{"n":4}\n'), 3]])
  expect(events.map(brief)).toEqual([2, 3, 4])
})

test('ends when it is told to', async () => {
  expect(await follow([])).toEqual([])
})
