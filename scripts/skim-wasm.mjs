// Compiles src/core/skim/wasm to WebAssembly and writes it as a module of base64, if its sources have changed. Bundler and tests
// share the plugin; the boot script calls it before the types are checked.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const core = new URL('../src/core/', import.meta.url)
const target = fileURLToPath(new URL('skim/skim-wasm.ts', core))

/** Makes the module, if it is not there or not that of the sources. */
export async function makeSkimWasm() {
  const stamp = `// Made by scripts/skim-wasm.mjs of ${hashOfSources()}\n`
  if (existsSync(target) && readFileSync(target, 'utf8').startsWith(stamp)) return
  console.error('Compiling the log reader to WebAssembly …')
  const wasm = Buffer.from(await compile()).toString('base64')
  const text = `${stamp}/** The skim, compiled: WebAssembly in base64. */\nexport const SKIM_WASM = '${wasm}'\n`
  // Several processes may be at it at once: each writes a file of its own, and puts it in place in one step.
  const own = `${target}.${process.pid}`
  writeFileSync(own, text)
  renameSync(own, target)
}

/** The plugin for bundler and tests. */
export function skimWasm() {
  return { name: 'skim-wasm', buildStart: makeSkimWasm }
}

function hashOfSources() {
  const own = readdirSync(new URL('skim/wasm/', core))
    .sort()
    .map((name) => `skim/wasm/${name}`)
  const hash = createHash('sha256')
  for (const path of [...own, 'skim/layout.ts', 'search/word-kinds.ts', '../../scripts/skim-wasm.mjs']) {
    hash.update(`${path}\n`).update(readFileSync(new URL(path, core)))
  }
  return hash.digest('hex').slice(0, 16)
}

async function compile() {
  // Loaded only when it is needed: it is large.
  const { main } = await import('assemblyscript/asc')
  const made = new Map()
  const flags = ['-O3', '--runtime', 'stub', '--enable', 'simd', '--noAssert', '--outFile', 'skim.wasm', '--noColors']
  const { error, stderr } = await main(['skim/wasm/skim.as.ts', '--baseDir', fileURLToPath(core), ...flags], {
    writeFile: (name, data) => made.set(name, data),
  })
  if (error) throw new Error(`The skim does not compile.\n${stderr.toString()}`)
  return made.get('skim.wasm')
}
