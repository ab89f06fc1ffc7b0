import { grouped } from '../grouped.ts'

/**
 * One log's rows of one response, as far as they tell whether the response was made there. Several logs hold the same response
 * where a session was forked, branched, resumed into a new file, or copied by hand.
 */
export interface Holding {
  /** Its rows say that they are copies: by `forkedFrom`, or by naming another session than the log's own. */
  readonly isMarked: boolean
  /** The request that it answers was sent from this log: its `requestRef` names an `api-request` row there. */
  readonly isMadeHere: boolean
  /** The latest time of any record up to its first row, in milliseconds: a copy is written after its fork's header. */
  readonly writtenAt: number
  /** Its rows name the session that the file, or the folder of an agent, is named after. */
  readonly isNamed: boolean
  readonly log: {
    /** The latest time of any record of the log, in milliseconds. */
    readonly endedAt: number
    /** A hash of how the log begins. */
    readonly head: string
    readonly path: string
  }
}

/** What told two holdings apart; `rest` are the rules for logs that carry no evidence. */
export type OwnerRule = 'marked' | 'made' | 'written' | 'named' | 'rest'

/**
 * Orders holdings of one response: the first is in the log that owns it. What the rows say decides, so that neither the names of
 * files nor the order of reading change anything; only of byte-equal logs the path has to.
 */
export function compareHoldings(a: Holding, b: Holding): number {
  for (const { compare } of RULES) {
    const order = compare(a, b)
    if (order !== 0) return order
  }
  return 0
}

/** The rule by which one of two holdings comes first. */
export function ownerRule(a: Holding, b: Holding): OwnerRule {
  return RULES.find(({ compare }) => compare(a, b) !== 0)?.rule ?? 'rest'
}

/** A holding with what identifies its response and what it says was used. */
export interface CountedHolding extends Holding {
  readonly message: string
  /** `null` if its rows name none: copies drop it. */
  readonly request: string | null
  /** Number of rows. */
  readonly rows: number
  readonly outputTokens: number
  readonly isPlaceholder: boolean
}

/** What comparing all holdings of a response says about one of them. */
export interface OwnedHolding {
  readonly isOwner: boolean
  /** Index of the holding whose numbers count. */
  readonly counts: number
  /** Rows and logs of all holdings of the response. */
  readonly seenRows: number
  readonly seenLogs: number
}

/**
 * Decides which holding of each response owns it and whose numbers count: those with the most output; among equals a final
 * one, then the owner's. Holdings without a request belong to the earliest request of their message. `index/owner.ts` has the
 * same rule as SQL.
 */
export function ownersOf(holdings: readonly CountedHolding[]): readonly OwnedHolding[] {
  const owned: OwnedHolding[] = []
  const placed = holdings.map((holding, index) => ({ ...holding, index }))
  for (const message of grouped(placed, (one) => one.message).values()) {
    const byRequest = message.toSorted(compareRequests)
    const [first] = byRequest
    for (const held of grouped(byRequest, ({ request }) => request ?? first?.request ?? null).values()) {
      const byOwner = held.toSorted(compareHoldings)
      const owner = byOwner[0]?.index
      const [counted] = byOwner.toSorted((a, b) => compareNumbers(a, b, owner))
      const seenRows = held.reduce((sum, { rows }) => sum + rows, 0)
      const seenLogs = new Set(held.map(({ log }) => log.path)).size
      for (const { index } of held)
        owned[index] = { isOwner: index === owner, counts: counted?.index ?? index, seenRows, seenLogs }
    }
  }
  return owned
}

function compareRequests(a: CountedHolding, b: CountedHolding): number {
  return (
    Number(a.request === null) - Number(b.request === null) ||
    a.writtenAt - b.writtenAt ||
    compareTexts(a.request ?? '', b.request ?? '')
  )
}

type PlacedHolding = CountedHolding & { readonly index: number }

function compareNumbers(a: PlacedHolding, b: PlacedHolding, owner: number | undefined): number {
  return (
    b.outputTokens - a.outputTokens ||
    Number(a.isPlaceholder) - Number(b.isPlaceholder) ||
    Number(b.index === owner) - Number(a.index === owner) ||
    a.writtenAt - b.writtenAt ||
    compareTexts(a.log.head, b.log.head) ||
    compareTexts(a.log.path, b.log.path)
  )
}

const RULES: readonly { readonly rule: OwnerRule; compare(a: Holding, b: Holding): number }[] = [
  { rule: 'marked', compare: (a, b) => Number(a.isMarked) - Number(b.isMarked) },
  { rule: 'made', compare: (a, b) => Number(b.isMadeHere) - Number(a.isMadeHere) },
  { rule: 'written', compare: (a, b) => a.writtenAt - b.writtenAt },
  { rule: 'named', compare: (a, b) => Number(b.isNamed) - Number(a.isNamed) },
  { rule: 'rest', compare: (a, b) => a.log.endedAt - b.log.endedAt },
  { rule: 'rest', compare: (a, b) => compareTexts(a.log.head, b.log.head) },
  { rule: 'rest', compare: (a, b) => compareTexts(a.log.path, b.log.path) },
]

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
