import { preview } from '../../core/log/content.ts'
import type { Place } from '../../core/log/place.ts'
import { type Static, Type } from '../../core/schema.ts'
import { searchableText } from '../../core/search/searchable.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import { type Library, logsOf } from '../../disk/library.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import type { SourceEntry } from '../../disk/source.ts'
import { NullableString } from '../shapes.ts'

/** A record that stands near a hit. */
export const NeighbourShape = Type.Object({
  role: Type.String(),
  kind: Type.String(),
  timestamp: NullableString,
  text: Type.String('Its first words, 200 characters at most'),
})

type Neighbour = Static<typeof NeighbourShape>

/** What stands around a hit, in file order. */
export interface Surroundings {
  readonly before: Neighbour[]
  readonly after: Neighbour[]
}

/** Finds what stands around places in logs: so many records on each side that say something. */
export function openSurroundings(library: Library, count: number): (place: Place) => Surroundings {
  const entries = new Map<string, SourceEntry>()
  for (const entry of library.projects().flatMap(logsOf)) entries.set(entry.path, entry)
  return ({ file, offset }) => {
    const entry = entries.get(file)
    const nodes = entry && library.facts(entry)?.facts.nodes
    if (!nodes) return { before: [], after: [] }
    const found = nodes.findIndex((node) => node.offset >= offset)
    const row = found === -1 ? nodes.length : found
    // A title is a record too, but no row of the tree.
    const next = nodes[row]?.offset === offset ? row + 1 : row
    return {
      before: nearest(library, entry, nodes, { from: row - 1, step: -1, count }).reverse(),
      after: nearest(library, entry, nodes, { from: next, step: 1, count }),
    }
  }
}

function nearest(
  library: Library,
  entry: SourceEntry,
  nodes: readonly TreeNode[],
  { from, step, count }: { readonly from: number; readonly step: number; readonly count: number },
): Neighbour[] {
  const found: Neighbour[] = []
  for (let row = from; found.length < count && row >= 0 && row < nodes.length; row += step) {
    const { line, offset, length, timestamp } = nodes[row] as TreeNode
    const record = readRecordAt(library.source, entry, { file: entry.path, line, offset, length })
    const said = record && searchableText(record)
    const text = said && preview(said.text)
    if (text) found.push({ role: said.role, kind: said.kind, timestamp, text })
  }
  return found
}
