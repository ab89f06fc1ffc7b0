import { type Choices, usualChoices } from '../../src/collector/choices.ts'
import { clientNames } from '../../src/collector/client-names.ts'
import { Collector } from '../../src/collector/collector.ts'
import type { CollectorOptions } from '../../src/collector/collector-options.ts'
import { namesOf } from '../../src/collector/names.ts'
import type { Clock } from '../../src/collector/retry.ts'
import { Seal } from '../../src/collector/seal.ts'
import type { Sink } from '../../src/collector/sink.ts'
import type { CollectState, StateStore } from '../../src/collector/state.ts'
import type { Source } from '../../src/disk/source.ts'
import { createRedactor } from '../../src/redact/redactor.ts'
import { machine } from './made-batches.ts'

export const ALL: Choices = usualChoices(true)
export const FACTS: Choices = usualChoices(false)

const redactor = createRedactor({ key: Buffer.alloc(32, 7) })

const EMPTY: Omit<CollectState, 'destination'> = {
  tracked: [],
  begun: [],
  order: 0,
  machine: '',
  visits: [],
  documents: new Map(),
  tombstones: [],
  savedAt: null,
  choices: {},
}

/** A memory that a test can lose. */
export class MemoryState implements StateStore {
  state: CollectState | undefined
  readonly buried: object[] = []

  read(destination: string): CollectState {
    return this.state ?? { ...EMPTY, destination }
  }

  write(state: CollectState): void {
    this.state = { ...state, tracked: [...state.tracked], documents: new Map(state.documents) }
  }

  bury(letters: readonly object[]): void {
    this.buried.push(...letters)
  }
}

/** A clock that passes as fast as it is asked to. */
export function quickClock(): Clock & { readonly slept: number[] } {
  let now = 0
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    async sleep(ms) {
      slept.push(ms)
      now += ms
    },
    random: () => 0.5,
  }
}

/** A collector from a source to a sink. */
export function collectorOf(
  source: Source,
  sink: Sink,
  more: Partial<CollectorOptions> & { readonly id?: string } = {},
): Collector {
  const { choices = ALL, id = machine().id } = more
  const key = Buffer.alloc(32, 9)
  const names = namesOf({
    paths: choices.paths,
    user: choices.user,
    key,
    home: '/nowhere',
    mask: (name) => redactor.text(name).text,
  })
  return new Collector({
    sink,
    source,
    machine: { ...machine(), id, user: names.user('ana') },
    choices,
    destination: 'memory:',
    state: new MemoryState(),
    clock: quickClock(),
    maker: {
      machine: id,
      user: names.user('ana'),
      content: choices.content,
      realPaths: choices.paths === 'real',
      names,
      clientNames: clientNames(choices),
      lengths: choices.lengths,
      redactor,
      seal: new Seal(key),
    },
    ...more,
  })
}
