import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { filesBelow, runExport } from './export-run.ts'
import { certainSecrets } from './redact-certain.ts'
import type { Sample } from './secrets/kind.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-export-secrets-'))
const sessionId = 'aaaaaaaa-0000-4000-8000-00000000000a'
// Every third is enough for every way out: what differs between them is where a text stands.
const made = certainSecrets(1).filter((_, at) => at % 3 === 0)

/** Every secret in every place that a log has for text. */
function seededLog(secrets: readonly Sample[]) {
  const built = log({ sessionId, cwd: '/home/ana/api' })
  for (const { text } of secrets) {
    // In a path only what a path can have: without its slashes an address is none.
    const name = /[\n/]/.test(text) ? 'plain' : text
    built
      .user(text)
      .assistant(`It says: ${text}`, { thinking: `I see ${text}` })
      .tool('Bash', { command: `echo "${text}"`, description: text }, { output: text })
      .tool('Custom', { [`${text}`]: { deep: [text, text] } }, { output: [{ type: 'text', text }] })
      .tool('Bash', { command: 'false' }, { output: `Exit code 1\n${text}`, exitCode: 1 })
      .edit(`src/${name}.env`, { before: `a\n${text}\nb\n`, after: `b\n${text}\n${text}\nc\n` })
      .writeFile(`src/new-${name}.env`, `x\n${text}\n`)
      .subagent({
        type: 'Explore',
        description: text,
        prompt: text,
        result: text,
        steps: (agent) => agent.tool('Read', { file_path: `/x/${name}` }, { output: text }),
      })
      .plan(`# ${text}\n\n${text}`)
      .todo([text])
      .command('/note', { args: text, output: text })
      .bash(`export X='${text}'`, text, text)
      .title(text)
  }
  return built
    .compact({ summary: secrets.map(({ text }) => text).join('\n') })
    .user('and now?')
    .assistant('Done.')
}

/** The parts of a secret that must not be seen: a key of many lines leaks with any of them. */
const parts = [
  ...new Set(
    made.flatMap(({ secret }) =>
      secret.split('\n').filter((line) => line.length >= 12 && !/^-----(?:BEGIN|END)/.test(line)),
    ),
  ),
]

beforeAll(() => {
  const built = seededLog(made)
  built.write(join(folder, 'root'))
  // A line that was cut off leaks as well as any other.
  const path = join(folder, 'root', 'projects', '-home-ana-api', `${sessionId}.jsonl`)
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"type":"user","message":{"content":"${made[0]?.text}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a secret in any place', { timeout: 300_000 }, () => {
  for (const to of ['md', 'html', 'json', 'jsonl', 'csv', 'parquet', 'xml', 'steps', 'bundle'] as const) {
    test(`is in no byte of an export to ${to}`, async () => {
      const agents = to === 'md' || to === 'html' ? 'linked' : 'inline'
      const result = await runExport(folder, { sessions: [sessionId], to, out: `${to}/`, thinking: true, agents })
      expect(result.redactions['github-token'], 'something was there to be masked').toBeGreaterThan(0)
      const names = filesBelow(join(folder, to))
      expect(names.length).toBeGreaterThan(0)
      for (const name of names) {
        expect(leaks(name), name).toEqual([])
        expect(leaks(await content(join(folder, to, name))), name).toEqual([])
      }
      expect(leaks(JSON.stringify(result))).toEqual([])
    })
  }
})

/** What a file says, also where that is packed. */
async function content(path: string): Promise<string> {
  const bytes = readFileSync(path)
  if (!path.endsWith('.parquet')) return bytes.toString('latin1') + bytes.toString()
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  return bytes.toString('latin1') + rows.flatMap((row) => Object.values(row).map(String)).join('\n')
}

/** The parts found in a text as they are, or as JSON, HTML, Markdown and CSV would write them. */
function leaks(text: string): readonly string[] {
  const plain = text
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('""', '"')
  const unescaped = text.replace(/\\(.)/g, '$1')
  return parts.filter((part) => text.includes(part) || plain.includes(part) || unescaped.includes(part))
}
