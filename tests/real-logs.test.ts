import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FactsFold } from '../src/core/facts/facts.ts'
import { readLog } from '../src/core/log/log.ts'
import { buildTree } from '../src/core/tree/tree.ts'
import { UsageFold } from '../src/core/usage/usage-fold.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'

const CLIENT = /^\d+\.\d+\.\d+$/
const folder = corpus('2.1.325') ?? corpus('entireio__cli')
const roots = folder ? readdirSync(folder) : []
const logsOf = (root: string) =>
  walk(join(folder as string, root)).filter((path) => path.includes('/projects/') && path.endsWith('.jsonl'))

function walk(path: string): readonly string[] {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => walk(join(path, name))) : [path]
}

describe.skipIf(!folder)(`real logs${folder ? '' : WITHOUT_CORPUS}`, () => {
  for (const root of roots) {
    test(`${root}: every byte is accounted for, and every row is reachable`, () => {
      for (const path of logsOf(root)) {
        const bytes = readFileSync(path)
        const { records, diagnostics, totals } = readLog(bytes, path)
        const owned = [...records, ...diagnostics.filter((diagnostic) => !diagnostic.salvaged)].map(
          ({ place }) => place,
        )
        expect(ownedOnce(bytes, owned, totals.pendingBytes), path).toBe(true)
        if (CLIENT.test(root)) {
          // What the client wrote itself is undamaged: as many records as lines, and nothing to report.
          expect(diagnostics, path).toEqual([])
          for (const { place, raw } of records) {
            expect(JSON.parse(bytes.toString('utf8', place.offset, place.offset + place.length))).toEqual(raw)
          }
          expect(records.length, path).toBe(
            bytes
              .toString('latin1')
              .split('\n')
              .filter((line) => line.trim() !== '').length,
          )
        }
        const isAgent = basename(path).startsWith('agent-')
        const fold = new FactsFold()
        for (const record of records) fold.add(record)
        const tree = buildTree(fold.facts().nodes, { isAgent })
        const reached = new Set([...tree.branches, ...tree.sidechains].flatMap((part) => part.rows))
        expect(reached.size, path).toBe(tree.nodes.length)
      }
    })

    test(`${root}: tokens equal an independent count`, () => {
      const fold = new UsageFold()
      const counted = new Map<string, Record<string, number>>()
      for (const path of logsOf(root).filter((log) => !log.endsWith('journal.jsonl'))) {
        const bytes = readFileSync(path)
        const facts = new FactsFold()
        for (const record of readLog(bytes, path).records) facts.add(record)
        for (const row of facts.facts().usage) fold.add(row)
        for (const line of bytes.toString('utf8').split('\n')) countLine(line, counted)
      }
      const want = { responses: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }
      for (const usage of counted.values()) {
        want.responses += 1
        want.inputTokens += usage.input_tokens ?? 0
        want.outputTokens += usage.output_tokens ?? 0
        want.cacheReadTokens += usage.cache_read_input_tokens ?? 0
      }
      expect(fold.total()).toMatchObject(want)
    })
  }
})

/** Whether the places are apart, and only newlines, blanks and marks lie between them. */
function ownedOnce(
  bytes: Buffer,
  places: readonly { offset: number; length: number }[],
  pendingBytes: number,
): boolean {
  let at = 0
  const isSeparator = (to: number) => /^[\s\ufeff]*$/.test(bytes.toString('utf8', at, to))
  for (const { offset, length } of places.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < at || !isSeparator(offset)) return false
    at = offset + length
  }
  return isSeparator(bytes.length - pendingBytes)
}

/** The rule by itself, in as few words as it takes: a message id counts once, with its largest output. */
function countLine(line: string, counted: Map<string, Record<string, number>>): void {
  if (!line.includes('"assistant"')) return
  for (const part of line.split(/(?<=\})(?=\{"(?:parentUuid|type)":)/)) {
    let row: { type?: string; message?: { id?: string; model?: string; usage?: Record<string, number> } }
    try {
      row = JSON.parse(part)
    } catch {
      continue
    }
    const { id, model, usage } = row.message ?? {}
    if (row.type !== 'assistant' || !id || !usage || model === '<synthetic>') continue
    const best = counted.get(id)
    if (!best || (usage.output_tokens ?? 0) > (best.output_tokens ?? 0)) counted.set(id, usage)
  }
}
