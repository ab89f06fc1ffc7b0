import { isObject, type JsonValue } from '../../../core/json.ts'
import { useOpen } from '../open-state.tsx'
import { readable, visible } from '../visible.ts'

interface Props {
  readonly id: string
  readonly value: JsonValue | undefined
  /** How deep it stands open at first. */
  readonly openTo?: number
}

/** Any value, readable: objects and lists fold, long texts too, and nothing is drawn deeper than one can follow. */
export function JsonView({ id, value, openTo = 2 }: Props) {
  return (
    <div className="overflow-x-auto px-3 py-2 font-mono text-[0.8125rem] leading-5">
      <Value id={id} value={value} depth={0} openTo={openTo} />
    </div>
  )
}

const DEEPEST = 24
const MOST_ENTRIES = 200
const LONG_TEXT = 600

interface ValueProps extends Props {
  readonly depth: number
  readonly openTo: number
}

function Value({ id, value, depth, openTo }: ValueProps) {
  if (typeof value === 'string') return <Text id={id} text={value} />
  if (Array.isArray(value) || isObject(value)) {
    return <Entries id={id} value={value} depth={depth} openTo={openTo} />
  }
  return <span className="text-code-number">{String(value ?? null)}</span>
}

function Text({ id, text }: { id: string; text: string }) {
  const [isOpen, setOpen] = useOpen(`text:${id}`, false)
  const isLong = text.length > LONG_TEXT
  return (
    <span className="text-code-string whitespace-pre-wrap break-words">
      {readable(isLong && !isOpen ? text.slice(0, LONG_TEXT) : text)}
      {isLong && (
        <button
          type="button"
          className="ml-1 text-muted underline"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'fold' : `… ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </span>
  )
}

function Entries({ id, value, depth, openTo }: ValueProps) {
  const isList = Array.isArray(value)
  const entries: readonly (readonly [string, JsonValue | undefined])[] = Object.entries(value as object)
  const [isOpen, setOpen] = useOpen(`json:${id}`, depth < openTo)
  const [isAll, setAll] = useOpen(`json-all:${id}`, false)
  const size = isList ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0 || depth >= DEEPEST)
    return <span className="text-muted">{depth >= DEEPEST ? '…' : size}</span>
  if (!isOpen) {
    return (
      <button type="button" className="text-muted hover:text-ink" aria-expanded={false} onClick={() => setOpen(true)}>
        ▸ {size}
      </button>
    )
  }
  const shown = isAll ? entries : entries.slice(0, MOST_ENTRIES)
  return (
    <>
      {depth > 0 && (
        <button type="button" className="text-muted hover:text-ink" aria-expanded onClick={() => setOpen(false)}>
          ▾ {size}
        </button>
      )}
      <ul className={depth > 0 ? 'border-l border-line pl-4' : ''}>
        {shown.map(([key, inner]) => (
          <li key={key}>
            <span className="text-code-title">{visible(key.slice(0, LONG_TEXT))}</span>
            <span className="text-muted">: </span>
            <Value id={`${id}/${key}`} value={inner} depth={depth + 1} openTo={openTo} />
          </li>
        ))}
      </ul>
      {shown.length < entries.length && (
        <button type="button" className="text-muted underline" onClick={() => setAll(true)}>
          … {(entries.length - shown.length).toLocaleString('en')} more
        </button>
      )}
    </>
  )
}
