import { timeOf } from '../time.ts'
import { isRepeated } from '../tree/attachment.ts'
import type { TreeNode } from '../tree/node.ts'
import { cutTurns, type Turn, type TurnTree } from '../tree/turns.ts'
import type { LocalTime } from '../usage/local-time.ts'

/** Something that a person asked for, and what is needed to know it again in a copy. */
export interface Asked {
  readonly uuid: string
  /** The first response to it. Copies by the oldest clients have new uuids and times, but the same responses. */
  readonly messageId: string | null
  readonly at: string | null
  readonly isFork: boolean
}

/** A row as far as it matters for what was asked. */
export type AskingRow = Pick<
  TreeNode,
  'uuid' | 'kind' | 'command' | 'isSidechain' | 'timestamp' | 'messageId' | 'forkedFrom'
>

/** The turns of a session's own log, over all its branches, each row once. */
export function mainTurns(tree: TurnTree<AskingRow>): readonly Turn[] {
  return cutTurns(tree, mainRows(tree)).filter((turn) => turn.prompt !== undefined)
}

/** The rows of a session's own log, each uuid once, agents inside the log left out. */
export function mainRows(tree: TurnTree<AskingRow>): readonly number[] {
  return tree.nodes.flatMap((node, i) => (node.isSidechain || isRepeated(tree.attachedBy[i]) ? [] : [i]))
}

/** What a person asked for in a log: typed, queued, custom commands and skills. */
export function askedIn(tree: TurnTree<AskingRow>, turns: readonly Turn[]): readonly Asked[] {
  return turns.flatMap((turn) => {
    const node = tree.nodes[turn.prompt as number] as AskingRow
    const rest = turn.rows.map((i) => tree.nodes[i] as AskingRow)
    if (!isAsked(node, rest)) return []
    const messageId = rest.find((row) => row.kind === 'response')?.messageId ?? null
    const at = timeOf(node.timestamp ?? '') ?? null
    return [{ uuid: node.uuid, messageId, at, isFork: node.forkedFrom !== null }]
  })
}

/** Built-in commands and bash inputs begin turns too, but ask for nothing, unless the command was expanded into a prompt. */
function isAsked({ kind, command }: AskingRow, rest: readonly AskingRow[]): boolean {
  if (kind === 'bash-input') return false
  if (kind !== 'command' || command?.isCustom) return true
  const before = rest.slice(
    0,
    rest.findIndex((row) => row.kind === 'response'),
  )
  return before.findLast((row) => row.kind === 'meta' || row.kind === 'command-output')?.kind === 'meta'
}

interface Seen extends Asked {
  readonly session: string
  readonly file: string
}

/** Counts each thing asked once over all logs; of copies, the earliest and the original stands for all. */
export class AskedFold {
  readonly #seen = new Set<{ kept: Seen }>()
  readonly #byUuid = new Map<string, { kept: Seen }>()
  readonly #byMessage = new Map<string, { kept: Seen }>()

  add(asked: Asked, session: string, file: string): void {
    const fresh = { ...asked, session, file }
    const answered = asked.messageId === null ? undefined : this.#byMessage.get(asked.messageId)
    // In one log two things may be asked before one response, and both count.
    const copied = answered?.kept.file === file ? undefined : answered
    const same = (asked.uuid === '' ? undefined : this.#byUuid.get(asked.uuid)) ?? copied ?? { kept: fresh }
    if (compare(fresh, same.kept) < 0) same.kept = fresh
    this.#seen.add(same)
    if (asked.uuid !== '') this.#byUuid.set(asked.uuid, same)
    if (asked.messageId !== null && !answered) this.#byMessage.set(asked.messageId, same)
  }

  all(): readonly Seen[] {
    return [...this.#seen].map(({ kept }) => kept)
  }
}

function compare(a: Seen, b: Seen): number {
  const early = (a.at ?? '\uffff') < (b.at ?? '\uffff') ? -1 : a.at === b.at ? 0 : 1
  return early || Number(a.isFork) - Number(b.isFork) || (a.file < b.file ? -1 : 1)
}

/** What was done on one day. */
export interface ActiveDay {
  readonly date: string
  readonly prompts: number
  readonly responses: number
  readonly toolCalls: number
  readonly sessions: number
}

/** When things were done. */
export interface Activity {
  /** Days on which something was done, first things first. */
  readonly days: readonly ActiveDay[]
  /** Prompts by hour, 24 numbers. */
  readonly hours: readonly number[]
  /** Prompts by weekday, Monday first. */
  readonly weekdays: readonly number[]
}

/** Sorts what was done into days, hours and weekdays. What has no time is passed over. */
export class ActivityFold {
  readonly #clock: (moment: string | number) => LocalTime
  readonly #days = new Map<string, { prompts: number; responses: number; toolCalls: number; sessions: Set<string> }>()
  readonly #hours: number[] = new Array(24).fill(0)
  readonly #weekdays: number[] = new Array(7).fill(0)

  constructor(clock: (moment: string | number) => LocalTime) {
    this.#clock = clock
  }

  /** A session is active on the days of its prompts and responses; tool calls name none. */
  add(what: 'prompts' | 'responses' | 'toolCalls', at: string | number | null, session?: string): void {
    if (at === null) return
    const { date, hour, weekday } = this.#clock(at)
    const day = this.#days.get(date) ?? { prompts: 0, responses: 0, toolCalls: 0, sessions: new Set() }
    this.#days.set(date, day)
    day[what] += 1
    if (session !== undefined) day.sessions.add(session)
    if (what !== 'prompts') return
    this.#hours[hour] = (this.#hours[hour] ?? 0) + 1
    this.#weekdays[weekday] = (this.#weekdays[weekday] ?? 0) + 1
  }

  activity(): Activity {
    const days = [...this.#days].map(([date, day]) => ({ date, ...day, sessions: day.sessions.size }))
    days.sort((a, b) => (a.date < b.date ? -1 : 1))
    return { days, hours: [...this.#hours], weekdays: [...this.#weekdays] }
  }
}
