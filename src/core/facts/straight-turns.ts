import type { RowKind } from '../log/row-kind.ts'
import { type TurnName, turnLabel } from '../tree/turn-names.ts'
import type { RowFacts } from './row-facts.ts'

/** How far the turns of a log have come: plain data. */
export interface OpenTurns {
  /** How many turns have a name. */
  readonly named: number
  /** The number of the last turn, how many were started by people, and how many of those asked. */
  readonly started: number
  readonly prompts: number
  /** The first row that belongs to no turn yet. */
  readonly loose: Named | null
  /** A command or bash input that begins a turn if the model answers it. */
  readonly waiting: Waiting | null
}

interface Named {
  readonly label: string | null
  readonly startedAt: string | null
}

interface Waiting extends Named {
  readonly isCommand: boolean
  readonly isExpanded: boolean
  /** It is the first row that belongs to no turn yet. */
  readonly isLoose: boolean
}

const NO_TURNS: OpenTurns = { named: 0, started: 0, prompts: 0, loose: null, waiting: null }

/** Cuts a straight log into turns while it is read: the same as `turns` and `turn-names` make of its tree. */
export class StraightTurns {
  #open: { -readonly [K in keyof OpenTurns]: OpenTurns[K] }
  readonly #from: number
  readonly #names: TurnName[] = []

  constructor(before: OpenTurns = NO_TURNS) {
    this.#open = { ...before }
    this.#from = before.named
  }

  get started(): number {
    return this.#open.started
  }

  get prompts(): number {
    return this.#open.prompts
  }

  /** The index of the last turn. */
  get last(): number {
    return this.#open.named - 1
  }

  open(): OpenTurns {
    return { ...this.#open }
  }

  /** The turns that have got a name since, and the one of loose rows, which may yet turn out otherwise. */
  names(): { readonly from: number; readonly turns: readonly TurnName[] } {
    const { loose } = this.#open
    const last = loose && this.#open.named === 0 ? [{ key: '0', ...loose }] : []
    return { from: this.#from, turns: [...this.#names, ...last] }
  }

  /** Takes a row behind one of a kind, and gives the index of the turn that it is in, as far as that is known. */
  add(kind: RowKind, facts: RowFacts, before: RowKind | null): number {
    const open = this.#open
    if (isAsked(kind, facts, before)) this.#begin(named(facts), 'asked')
    else {
      const isOpen = open.named > 0
      const isLoose = !isOpen && open.loose === null
      if (isLoose) open.loose = named(facts)
      if (kind === 'bash-input') open.waiting = { ...named(facts), isCommand: false, isExpanded: false, isLoose }
      else if (kind === 'command') {
        open.waiting =
          before === 'tool-result' ? null : { ...named(facts), isCommand: true, isExpanded: false, isLoose }
      } else if (open.waiting) this.#addWaiting(kind, open.waiting)
      // An answer needs its turn at once.
      if (kind === 'response' || kind === 'api-error' || kind === 'synthetic') this.#settle()
    }
    return this.last
  }

  #addWaiting(kind: RowKind, waiting: Waiting): void {
    if (kind === 'meta') this.#open.waiting = { ...waiting, isExpanded: waiting.isCommand }
    else if (kind === 'command-output') this.#open.waiting = { ...waiting, isExpanded: false }
    else if (kind === 'response') {
      if (waiting.isLoose) this.#open.loose = null
      // A command that was expanded into a prompt is a custom one, whatever order its tags have.
      this.#begin(waiting, waiting.isExpanded ? 'asked' : 'worked')
    }
  }

  #begin({ label, startedAt }: Named, why: 'asked' | 'worked'): void {
    const open = this.#open
    this.#settle()
    open.waiting = null
    open.started += 1
    if (why === 'asked') open.prompts += 1
    this.#name({ key: `${open.started}`, label, startedAt })
  }

  /** Rows before anything was asked are a turn of their own. */
  #settle(): void {
    const { loose } = this.#open
    if (loose && this.#open.named === 0) this.#name({ key: '0', ...loose })
    this.#open.loose = null
  }

  #name(turn: TurnName): void {
    this.#names.push(turn)
    this.#open.named += 1
  }
}

function named({ node, timestamp }: RowFacts): Named {
  return { label: node ? turnLabel(node) : null, startedAt: timestamp }
}

/** A command row right under a tool result is what the model's own call left. */
function isAsked(kind: RowKind, facts: RowFacts, before: RowKind | null): boolean {
  if (kind === 'prompt' || kind === 'queued-prompt' || kind === 'warmup') return true
  return kind === 'command' && before !== 'tool-result' && facts.node?.command?.isCustom === true
}
