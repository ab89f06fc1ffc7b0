// Tells where the time of a program goes, from V8's own profiles of all its threads.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const SHOWN = 4
const WAITING = new Set(['(idle)', '(root)'])

/** The functions in which the threads of a run were most often, each with its share; waiting does not count. */
export function hottest(folder) {
  const spent = new Map()
  let all = 0
  for (const name of readdirSync(folder)) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName || unnamed(callFrame.url)]))
    samples.forEach((id, i) => {
      const own = names.get(id)
      if (WAITING.has(own)) return
      all += timeDeltas[i]
      spent.set(own, (spent.get(own) ?? 0) + timeDeltas[i])
    })
  }
  const most = [...spent].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  return most.map(([name, time]) => `${name.replace(/[()]/g, '')} ${Math.round((100 * time) / all)} %`).join(', ')
}

/** The name of a chunk of the build ends in a hash. */
function unnamed(url) {
  return `unnamed in ${basename(url).replace(/(-[\w-]{8})?\.mjs$/, '')}`
}
