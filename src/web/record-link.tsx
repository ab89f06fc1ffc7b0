import { objectAt, textAt } from '../core/json.ts'
import { fetchJson } from './api.ts'
import { useNavigate } from './routing.tsx'
import { folderName } from './session-words.ts'
import { Said } from './ui/said.tsx'

/** A place in a log, as `file:line`, that opens the message which stands there. */
export function RecordLink(props: {
  readonly place: { readonly file: string; readonly line: number; readonly offset: number }
  /** Whose conversation it is in: a session, or `agent-…`. */
  readonly session: string
  readonly text?: string
}) {
  const { place, session } = props
  const navigate = useNavigate()
  const open = async () => {
    const at = await uuidAt(place)
    await navigate({ to: '/s/$session', params: { session }, search: at === undefined ? {} : { at } })
  }
  return (
    <button
      type="button"
      onClick={open}
      title={`${place.file}, line ${place.line}`}
      className="text-left text-accent hover:underline"
    >
      <Said>{props.text ?? `${folderName(place.file)}:${place.line}`}</Said>
    </button>
  )
}

/** Messages are known by their uuid; that of a place is in the record that stands there. */
async function uuidAt(place: { readonly file: string; readonly offset: number }): Promise<string | undefined> {
  const query = new URLSearchParams({ file: place.file, offset: String(place.offset) })
  const record = await fetchJson(`/api/record?${query}`).catch(() => undefined)
  return textAt(objectAt(record, 'raw'), 'uuid')
}
