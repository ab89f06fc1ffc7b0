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
