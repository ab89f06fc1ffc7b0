import { useOp } from './api.ts'
import { Link } from './routing.tsx'
import { titleText } from './session-words.ts'
import { Said } from './ui/said.tsx'

/** The titles of all sessions, by their ids. */
export function useTitles(): ReadonlyMap<string, string> {
  const { data } = useOp('sessions', {})
  return new Map(data?.items.map((item) => [item.id, titleText(item)]))
}

/** A session by its title, or by its id where nobody knows that. */
export function SessionLink(props: {
  readonly session: string
  readonly agent?: string | null
  readonly titles: ReadonlyMap<string, string>
  /** The row to open. */
  readonly at?: string | undefined
}) {
  const { session, agent = null, titles, at } = props
  return (
    <Link
      to="/s/$session"
      params={{ session: agent === null ? session : `agent-${agent}` }}
      search={{ at }}
      className="max-w-full truncate text-accent hover:underline"
    >
      <Said>{`${titles.get(session) ?? `session ${session.slice(0, 8)}`}${agent === null ? '' : ', an agent'}`}</Said>
    </Link>
  )
}
