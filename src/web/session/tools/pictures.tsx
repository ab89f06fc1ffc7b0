import { useQuery } from '@tanstack/react-query'
import { fieldAt, isObject, type JsonObject, objectAt, stringAt } from '../../../core/json.ts'
import { blocksOf, toBlocks, toolResultsOf } from '../../../core/log/content.ts'
import { fetchOp } from '../../api.ts'
import { plural } from '../../ui/words.ts'

/** Where pictures stand: in the record at a place, or in the one after it that answers a call. */
export interface PicturePlace {
  readonly file: string
  readonly offset: number
  readonly length: number
  readonly answers: string | null
}

/** The pictures of a record, fetched when they are shown. Only formats that cannot hold a script are drawn. */
export function Pictures({ place, count }: { place: PicturePlace; count: number }) {
  const { data: pictures, isPending } = useQuery({
    queryKey: ['pictures', place],
    queryFn: ({ signal }) => picturesAt(place, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (isPending) return <div className="skeleton h-24 w-40" aria-hidden="true" />
  if (!pictures || pictures.length === 0)
    return <p className="text-sm text-muted">{plural(count, 'image')}, not kept in the log</p>
  return (
    <div className="flex flex-wrap gap-3 py-1">
      {pictures.map((source, at) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of a record never move
          key={at}
          src={source}
          alt={`Pasted or read, ${at + 1} of ${pictures.length}`}
          className="max-h-96 max-w-full rounded border border-line bg-surface"
        />
      ))}
    </div>
  )
}

/** How many records after a call are looked through for its answer. */
const FARTHEST = 16

async function picturesAt(
  { file, offset, length, answers }: PicturePlace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let at = answers === null ? offset : offset + length + 1
  for (let step = 0; step < FARTHEST; step++) {
    const record = await fetchOp('record', { file, offset: at }, signal)
    const raw = isObject(record.raw) ? record.raw : {}
    if (answers === null || toolResultsOf(raw).some(({ toolUseId }) => toolUseId === answers)) return picturesIn(raw)
    at = record.offset + record.length + 1
  }
  return []
}

const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** The addresses of a record's pictures: of a prompt, or of what a tool gave back. */
function picturesIn(raw: JsonObject): readonly string[] {
  const blocks = blocksOf(raw).flatMap((block) =>
    stringAt(block, 'type') === 'tool_result' ? toBlocks(fieldAt(block, 'content')) : [block],
  )
  return blocks.flatMap((block) => {
    const source = stringAt(block, 'type') === 'image' ? objectAt(block, 'source') : undefined
    const [type = '', data = ''] = [stringAt(source, 'media_type'), stringAt(source, 'data')]
    return DRAWN.has(type) && /^[A-Za-z0-9+/]+=*$/.test(data) ? [`data:${type};base64,${data}`] : []
  })
}
