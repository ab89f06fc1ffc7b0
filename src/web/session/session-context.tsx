import { createContext, type ReactNode, useContext } from 'react'
import type { AgentItem } from './types.ts'
import type { Watch } from './use-live.ts'

/** What everything inside a conversation may need to know about it. */
interface SessionContextValue {
  /** The id of what is read: a session's, or `agent-<id>`. */
  readonly session: string
  readonly branch: string | undefined
  /** The folder that paths are seen from. */
  readonly folder: string | null
  /** The agents of the session, by id. */
  readonly agents: ReadonlyMap<string, AgentItem>
  /** How many conversations this one is inside of. */
  readonly depth: number
  /** All thinking stands open. */
  readonly isThinkingOpen: boolean
  /** Tells when a file of the session was written, its agents' included. */
  readonly watch: Watch
  readonly showRaw: (place: RawPlace) => void
  /** The rows of a turn; `undefined` where they are not known. */
  readonly turnRange: (turn: number) => { readonly row: number; readonly rows: number } | undefined
}

/** Where a raw record is looked up. */
export interface RawPlace {
  readonly session: string
  readonly uuid: string
  readonly file: string
  readonly line: number
  readonly offset: number
}

const SessionContext = createContext<SessionContextValue>({
  session: '',
  branch: undefined,
  folder: null,
  agents: new Map(),
  depth: 0,
  isThinkingOpen: false,
  watch: () => () => {},
  showRaw: () => {},
  turnRange: () => undefined,
})

/** Tells what stands below it which conversation it is in. */
export function SessionProvider({ value, children }: { value: SessionContextValue; children: ReactNode }) {
  return <SessionContext value={value}>{children}</SessionContext>
}

/** The conversation one is in. */
export function useSession(): SessionContextValue {
  return useContext(SessionContext)
}
