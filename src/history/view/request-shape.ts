import { fieldAt, parseJson, stringAt } from '../../core/json.ts'
import { startOf } from '../../disk/read-start.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'

/** How large the client's own instructions and tools were, in bytes. Their text is never told. */
export interface RequestShape {
  readonly systemBytes: number
  readonly toolsBytes: number
  readonly tools: number
}

/** The first request stands near the start of a log. */
const MOST_BYTES = 2 << 20
const TYPE = '"api-request-shape"'

/** The shape of the first request that a log tells of; `undefined` where its client did not write it down. */
export function requestShape(source: Source, entry: SourceEntry): RequestShape | undefined {
  const start = startOf(source, entry, MOST_BYTES)
  for (let from = 0; start && from < start.length; ) {
    const end = start.indexOf(10, from)
    const line = start.subarray(from, end === -1 ? start.length : end)
    const isLikely = line.includes(TYPE)
    const record = isLikely ? parseJson(line.toString()) : undefined
    if (record !== undefined && stringAt(record, 'type') === 'api-request-shape')
      return shapeOf(fieldAt(record, 'shape'))
    if (end === -1) break
    from = end + 1
  }
  return undefined
}

function shapeOf(shape: unknown): RequestShape {
  const [system, tools] = [fieldAt(shape, 'system'), fieldAt(shape, 'tools')]
  const bytes = (value: unknown) => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)))
  return {
    systemBytes: bytes(system),
    toolsBytes: bytes(tools),
    tools: Array.isArray(tools) ? tools.length : 0,
  }
}
