import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { parseJson } from '../core/json.ts'
import { createRedactor } from './redactor.ts'

test('corpus', () => {
  const redactor = createRedactor({ key: new Uint8Array(32) })
  const kinds = new Map<string, number>()
  const uniq = new Map<string, Set<string>>()
  const ex: string[] = []
  let n = 0
  let bytes = 0
  let ms = 0
  let parseMs = 0
  for (const f of readdirSync('/tmp/corpus', { recursive: true, encoding: 'utf8' })) {
    if (!f.endsWith('.jsonl')) continue
    const p = join('/tmp/corpus', f)
    if (!statSync(p).isFile()) continue
    for (const line of readFileSync(p, 'utf8').split('\n')) {
      if (line === '') continue
      const a = performance.now()
      const v = parseJson(line)
      const b = performance.now()
      parseMs += b - a
      if (v === undefined) continue
      n++
      bytes += line.length
      const out = redactor.value(v)
      ms += performance.now() - b
      for (const x of out.found) {
        kinds.set(x.kind, (kinds.get(x.kind) ?? 0) + 1)
        const u = uniq.get(x.kind) ?? new Set()
        uniq.set(x.kind, u)
        if (!u.has(x.placeholder)) {
          u.add(x.placeholder)
          let s: unknown = v
          for (const k of x.path.match(/[^.[\]]+/g) ?? []) s = (s as never)?.[k]
          if (typeof s === 'string')
            ex.push(
              `${x.kind}\t${JSON.stringify(s.slice(Math.max(0, x.from - 40), x.from))} >>${JSON.stringify(s.slice(x.from, Math.min(x.to, x.from + 60)))}<<`,
            )
          else ex.push(`${x.kind}\t??? ${x.path}`)
        }
      }
    }
  }
  console.log('RES', n, bytes, 'value MB/s', bytes / 1e3 / ms, 'parse MB/s', bytes / 1e3 / parseMs)
  for (const [k, c] of [...kinds].sort((a, b) => b[1] - a[1])) console.log('RES', k, c, uniq.get(k)?.size)
  require('node:fs').writeFileSync('/tmp/redact-examples.txt', ex.sort().join('\n'))
})
