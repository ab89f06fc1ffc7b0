import { test } from 'vitest'
import { mkdirSync, writeFileSync, utimesSync, appendFileSync, rmSync } from 'node:fs'
import { readArchive } from './archive.ts'
import { syncArchive } from './sync.ts'
import { withArchive } from './archive-source.ts'
const med = (f: () => void) => { const t: number[] = []; for (let i = 0; i < 7; i++) { const s = performance.now(); f(); t.push(performance.now() - s) } return t.sort((a, b) => a - b)[3]?.toFixed(1) }
test('m', async () => {
  console.log('load entireio', med(() => readArchive('/tmp/arch/home/entireio__cli/archive')), 'layered list', med(() => [...withArchive('/tmp/arch/home/entireio__cli/archive')(['/tmp/corpus/entireio__cli']).list()]))
  const root = '/tmp/arch/many'; rmSync(root, { recursive: true, force: true }); rmSync('/tmp/arch/manyhome', { recursive: true, force: true })
  for (let i = 0; i < 3000; i++) { const d = `${root}/projects/-p${i % 20}`; mkdirSync(d, { recursive: true }); writeFileSync(`${d}/s${i}.jsonl`, `{"type":"user","uuid":"${i}"}\n`); utimesSync(`${d}/s${i}.jsonl`, 1e9, 1e9) }
  const f = '/tmp/arch/manyhome/archive'
  let s = performance.now(); await syncArchive(f, { roots: [root], now: new Date() }); console.log('first 3000 small', (performance.now() - s) | 0)
  s = performance.now(); await syncArchive(f, { roots: [root], now: new Date() }); console.log('again', (performance.now() - s) | 0)
  console.log('load 3000', med(() => readArchive(f)))
  const big = `${root}/projects/-p0/big.jsonl`; writeFileSync(big, 'x'.repeat(100) + '\n'); const line = '{"type":"assistant","text":"' + 'lorem ipsum dolor '.repeat(50) + '"}\n'
  appendFileSync(big, line.repeat(60000)); await syncArchive(f, { roots: [root], now: new Date() })
  const t: number[] = []; for (let i = 0; i < 10; i++) { appendFileSync(big, line); s = performance.now(); const r = await syncArchive(f, { roots: [root], now: new Date() }); t.push(performance.now() - s); if (r.bytesRaw > 2000) console.log('raw', r.bytesRaw) }
  console.log('append to 56 MB log', t.map((x) => x | 0).join(' '))
}, 600000)
