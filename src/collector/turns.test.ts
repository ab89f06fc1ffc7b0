import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('work of a machine keeps its order, work of others goes beside it, and work for all is alone', async () => {
  const job = fc.record({
    machine: fc.constantFrom('a', 'b', 'all'),
    ms: fc.integer({ min: 0, max: 3 }),
    fails: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 12 }), async (jobs) => {
      const turns = new Turns()
      const running = new Set<string>()
      const ended: string[] = []
      const met: string[] = []
      const work = (machine: string, at: number, ms: number, fails: boolean) => async () => {
        for (const other of running) met.push(`${machine} met ${other}`)
        running.add(machine)
        await sleep(ms)
        running.delete(machine)
        ended.push(`${machine} ${at}`)
        if (fails) throw new Error('no')
      }
      await Promise.allSettled(
        jobs.map(({ machine, ms, fails }, at) =>
          machine === 'all'
            ? turns.all(work(machine, at, ms, fails))
            : turns.one(machine, work(machine, at, ms, fails)),
        ),
      )
      for (const name of ['a', 'b', 'all']) {
        const expected = jobs.flatMap(({ machine }, at) => (machine === name ? [`${name} ${at}`] : []))
        expect(ended.filter((one) => one.startsWith(`${name} `))).toEqual(expected)
      }
      // Only those of different machines ever meet.
      expect(met.filter((one) => !['a met b', 'b met a'].includes(one))).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('two machines do not wait for each other', async () => {
  const turns = new Turns()
  const order: string[] = []
  await Promise.all([
    turns.one('a', async () => {
      await sleep(20)
      order.push('a')
    }),
    turns.one('b', async () => void order.push('b')),
  ])
  expect(order).toEqual(['b', 'a'])
})
