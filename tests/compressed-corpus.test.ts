import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../src/core/json.ts'
import { estimateTokens } from '../src/export/xml/budget.ts'
import { xml } from '../src/export/xml/xml.ts'
import { linkedAgents } from '../src/history/family.ts'
import { corpus, WITHOUT_CORPUS } from './corpus.ts'
import { exportJob, filesOf } from './exporting.ts'
import { readXml, textIn } from './xml-checker.ts'

const ROOTS = [
  'EntityProcess__agentv',
  'chiphuyen__sniffly',
  'd-kimuson__claude-code-viewer',
  'entireio__cli',
  'neilberkman__ccrider',
]
const folder = corpus('entireio__cli')

/** The objects of a log's lines, read without any code of ours that knows what they mean. */
function rowsOf(path: string): readonly JsonObject[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line) => {
    const row = parseJson(line)
    return isObject(row) ? [row] : []
  })
}

const blocksOf = (content: unknown): readonly Record<string, unknown>[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []
const textOf = (content: unknown): string =>
  blocksOf(content)
    .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n')

/** What must be found again: what people typed, plans, errors of tools and the last words before each prompt. */
function mustStay(rows: readonly JsonObject[], isAgent: boolean): readonly (readonly [string, string])[] {
  const kept: [string, string][] = []
  let said = ''
  for (const row of rows) {
    if (row.isSidechain === true && !isAgent) continue
    const content = isObject(row.message) ? row.message.content : undefined
    const blocks = blocksOf(content)
    if (row.type === 'user') {
      const results = blocks.filter((block) => block.type === 'tool_result')
      for (const result of results) if (result.is_error === true) kept.push(['error', textOf(result.content)])
      const text = textOf(content)
      const isTyped = results.length === 0 && row.isMeta !== true && row.isCompactSummary !== true
      if (!isTyped || isAgent || /^\s*(<|\[Request interrupted)/.test(text)) continue
      kept.push(['prompt', text], ['answer', said])
      said = ''
    } else if (row.type === 'assistant') {
      said = textOf(content) || said
      for (const { type, name, input } of blocks) {
        const isPlan = type === 'tool_use' && (name === 'ExitPlanMode' || name === 'exit_plan_mode')
        if (isPlan && isObject(input) && typeof input.plan === 'string') kept.push(['plan', input.plan])
      }
    }
  }
  return [...kept, ['answer', said]]
}

/** Text without what XML cannot hold, and with white space that counts for nothing. */
const plain = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours
    .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML cannot hold
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff]/g, '')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

describe.skipIf(!folder)(`published logs, compressed for a model${folder ? '' : WITHOUT_CORPUS}`, () => {
  const total = { raw: 0, compressed: 0 }

  for (const name of ROOTS) {
    test(`${name}: nothing that must stay is missing, and every document is well-formed`, {
      timeout: 900_000,
    }, async () => {
      const job = await exportJob(join(folder as string, name))
      const sums = { raw: 0, compressed: 0, sessions: 0 }
      const missing: string[] = []
      for (const session of job.sessions) {
        const { library, files } = session
        const document = [...(await filesOf(xml, session, job)).values()].join('')
        const found = plain(textIn(readXml(document)))
        const agents = linkedAgents(library, files).filter(
          (agent) => agent.class !== 'warmup' && agent.entry.path !== files.log?.path,
        )
        const logs = [...new Set([files.log?.path ?? '', ...agents.map((agent) => agent.entry.path)])]
        for (const [at, path] of logs.entries()) {
          for (const [what, text] of mustStay(rowsOf(path), at > 0)) {
            if (!found.includes(plain(text)))
              missing.push(`${what} of ${files.id} (${path.slice(-30)}): ${plain(text).slice(0, 60)}`)
          }
        }
        sums.raw += logs.reduce((sum, path) => sum + estimateTokens(readFileSync(path, 'utf8')), 0)
        sums.compressed += estimateTokens(document)
        sums.sessions += 1
      }
      job.context.library.close()
      total.raw += sums.raw
      total.compressed += sums.compressed
      const saved = 100 * (1 - sums.compressed / sums.raw)
      console.log(
        `${name}: ${sums.sessions} sessions, ${sums.raw} → ${sums.compressed} tokens, ${saved.toFixed(1)} % fewer`,
      )
      expect(missing).toEqual([])
    })
  }

  test('there are at least 75 % fewer tokens than in the raw logs', () => {
    expect(total.compressed / total.raw).toBeLessThanOrEqual(0.25)
  })
})
