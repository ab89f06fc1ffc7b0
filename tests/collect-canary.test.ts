import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Choices } from '../src/collector/choices.ts'
import type { Sink } from '../src/collector/sink.ts'
import { folderSink } from '../src/collector/sinks/folder.ts'
import { readPart } from '../src/collector/sinks/folder-parts.ts'
import { httpSink } from '../src/collector/sinks/http.ts'
import { otlpSink } from '../src/collector/sinks/otlp.ts'
import { rowToJson } from '../src/collector/wire.ts'
import { collectorOf, FACTS } from './collector/made-collector.ts'
import { ID, LOG, withRoot } from './collector/made-root.ts'

/** Words, names, paths and numbers that are nowhere else. Each is met in the place that its key says. */
const CANARIES = {
  prompt: 'wombatprompt',
  promptNumber: '730518',
  answer: 'numbatanswer',
  thinking: 'quollthinking',
  command: 'bilbycommand',
  output: 'potorooutput',
  outputNumber: '914263',
  folder: 'dunnartfolder',
  fileName: 'kowarifile',
  branch: 'chuditchbranch',
  agentType: 'mulgaraagent',
  agentName: 'ningauiname',
  teamName: 'planigaleteam',
  mcpServer: 'phascogaleserver',
  mcpTool: 'antechinustool',
  ownTool: 'sminthopsistool',
  title: 'betongtitle',
  summary: 'pademelonsummary',
  slug: 'quokkaslug',
  hook: 'wallaroohook',
  description: 'kultarrdescription',
  todo: 'wambengertodo',
  queued: 'euroqueued',
  novel: 'tuannovel',
  display: 'mardodisplay',
  torn: 'boodietorn',
  url: 'wurrungurl',
  key: 'wuhlkey',
} as const
const C = CANARIES

let serial = 0
const uuid = () => `00000000-0000-4000-8000-${String(serial++).padStart(12, '0')}`
const record = (type: string, more: object) => {
  const place = { cwd: `/home/${C.folder}/app`, gitBranch: `feature/${C.branch}`, sessionId: ID, slug: C.slug }
  const time = new Date(Date.parse('2026-11-14T10:00:00.000Z') + serial * 1000).toISOString()
  const names = { teamName: C.teamName, agentName: C.agentName, [C.key]: C.novel, novel: { deep: [C.novel] } }
  return `${JSON.stringify({ type, uuid: uuid(), parentUuid: null, timestamp: time, version: '2.1.325', ...place, ...names, ...more })}\n`
}
const said = (role: string, content: unknown, more: object = {}) => {
  return record(role, { message: { role, content, id: `msg_${serial}`, model: 'claude-opus-5-5' }, ...more })
}
const file = `/home/${C.folder}/app/${C.fileName}.ts`
const use = (name: string, input: object) => ({ type: 'tool_use', id: `toolu_${serial}`, name, input })
const result = (content: unknown) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content, is_error: true })

const TALK = [
  said('user', `${C.prompt} my salary is ${C.promptNumber}`),
  said('user', [
    { type: 'text', text: C.prompt },
    { type: 'image', source: { data: C.output, media_type: C.fileName } },
  ]),
  said('assistant', [
    { type: 'thinking', thinking: C.thinking, signature: C.key },
    { type: 'text', text: C.answer },
  ]),
  said('assistant', [use('Bash', { command: C.command, description: C.description })]),
  said('assistant', [use('Edit', { file_path: file, old_string: C.output, new_string: C.answer })]),
  said('assistant', [use(`mcp__${C.mcpServer}__${C.mcpTool}`, { query: C.prompt }), use(C.ownTool, { a: C.prompt })]),
  said('assistant', [
    use('Task', { subagent_type: C.agentType, prompt: C.prompt, description: C.description, name: C.agentName }),
  ]),
  said('assistant', [use('WebFetch', { url: `https://${C.url}.example/${C.fileName}`, prompt: C.prompt })]),
  said('assistant', [{ type: 'server_tool_use', id: 's', name: C.ownTool, input: { query: C.prompt } }]),
  said('user', [result(`${C.output} ${C.outputNumber}`)], {
    toolUseResult: {
      stdout: C.output,
      stderr: C.output,
      agentType: C.agentType,
      agentId: C.agentName,
      filePath: file,
      content: [C.output],
    },
  }),
  said(
    'user',
    [
      result([
        { type: 'text', text: C.output },
        { type: 'tool_reference', tool_name: C.ownTool },
      ]),
    ],
    { toolUseResult: C.output },
  ),
  said('user', `<command-name>/${C.command}</command-name><command-args>${C.prompt}</command-args>`),
  said('user', C.prompt, { agentId: `${C.agentName}@${C.teamName}`, isSidechain: true }),
  record('system', { subtype: 'local_command', content: `<local-command-stdout>${C.output}</local-command-stdout>` }),
  record('system', { subtype: 'stop_hook_summary', hookInfos: [{ command: C.hook }], content: C.hook }),
  record('summary', { summary: C.summary, leafUuid: uuid() }),
  record('custom-title', { customTitle: C.title }),
  record('agent-name', { agentName: C.agentName }),
  record('queue-operation', { operation: 'enqueue', content: C.queued }),
  record('attachment', { attachment: { type: 'queued_command', prompt: C.queued, filename: file } }),
  record('attachment', { attachment: { type: 'file', filename: file, content: { text: C.output } } }),
  record('progress', { data: { type: 'bash_progress', output: C.output }, toolUseID: 'toolu_1' }),
  record('file-history-snapshot', { snapshot: { trackedFileBackups: { [file]: { backupFileName: C.fileName } } } }),
  record(C.novel, { content: C.novel }).replace(`"type":"${C.novel}"`, '"type":"novel-type"'),
  `{"torn": "${C.torn}\n`,
  `${'{"x":'.repeat(3)}${C.torn}\n`,
].join('')
const AGENT = `projects/-home-${C.folder}-app/${ID}/subagents/agent-a1b2.jsonl`
const FILES = {
  [LOG.replace('-p', `-home-${C.folder}-app`)]: TALK,
  [AGENT]:
    said('user', C.prompt, { agentId: 'a1b2', isSidechain: true }) +
    said('assistant', [{ type: 'text', text: 'x'.repeat(9_000) + C.answer }]),
  [AGENT.replace('.jsonl', '.meta.json')]: JSON.stringify({
    agentType: C.agentType,
    description: C.description,
    isBuiltIn: false,
  }),
  [`projects/-home-${C.folder}-app/${ID}/subagents/agent-${C.agentName}.jsonl`]:
    said('user', C.prompt) + said('assistant', C.answer),
  'history.jsonl': `${JSON.stringify({ display: C.display, pastedContents: { 1: { content: C.display } }, project: `/home/${C.folder}/app`, timestamp: 1_794_650_400_000, sessionId: ID })}\n`,
  [`todos/${ID}-agent-${ID}.json`]: JSON.stringify([{ content: C.todo }]),
  [`plans/${C.slug}.md`]: C.todo,
  'projects/-p/memory/x.md': C.todo,
}

/** Everything that somebody could compute of a text without a key, and compare. */
function shadows(text: string): string[] {
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((kind) => {
    const digest = createHash(kind).update(text).digest()
    return [
      digest.toString('hex').slice(0, 16),
      digest.toString('base64').slice(0, 16),
      digest.toString('base64url').slice(0, 16),
    ]
  })
  const inner = Buffer.from(text).toString('base64').replace(/=+$/, '')
  return [Buffer.from(text).toString('hex'), inner.slice(0, -2), ...hashes]
}

const text = (bytes: Buffer) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8')

async function run(
  source: ReturnType<typeof import('./collector/made-root.ts').madeRoot>,
  sink: Sink,
  choices: Choices,
) {
  const files = source.source(choices)
  const collector = collectorOf(files, sink, { choices, reading: { chunkBytes: 512, maxLineBytes: 6_000 } })
  await collector.start()
  await collector.pass()
  files.close()
  await sink.close()
}

/** What has left by each way. */
async function left(choices: Choices): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-canary-'))
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push(`${request.url}\n${JSON.stringify(request.headers)}\n${text(Buffer.concat(chunks))}`)
    response.end(request.method === 'GET' ? '{"marks":[]}' : '{"added":1}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const found: Record<string, string> = {}
  try {
    await withRoot(FILES, async (made) => {
      for (const format of ['jsonl', 'parquet'] as const) {
        const out = join(folder, format)
        await run(made, folderSink(out, { format }), choices)
        const names = readdirSync(out, { recursive: true, encoding: 'utf8' })
        const parts: string[] = [...names]
        for (const name of names.filter((one) => statSync(join(out, one)).isFile())) {
          parts.push(text(readFileSync(join(out, name))))
          if (name.endsWith('.parquet')) {
            for await (const rows of readPart(join(out, name))) parts.push(JSON.stringify(rows.map(rowToJson)))
          }
        }
        found[format] = parts.join('\n')
      }
      await run(made, httpSink(`http://127.0.0.1:${port}`, { token: 't' }), choices)
      found.receiver = asked.splice(0).join('\n')
      await run(made, otlpSink(`otlp://127.0.0.1:${port}`, { stateFolder: join(folder, 'otlp') }), choices)
      found.otlp = asked.splice(0).join('\n')
    })
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  }
  return found
}

const LINES = Object.values(FILES).flatMap((content) => content.split('\n').slice(0, -1))

test('with none, no byte of what anybody wrote, named or ran leaves, nor a hash of it without a key, nor how long it was', async () => {
  const ways = await left(FACTS)
  // Whole texts that somebody could guess: the canaries, the places they stand in, and every line.
  const guesses = [
    ...Object.values(C),
    file,
    `/home/${C.folder}/app`,
    `feature/${C.branch}`,
    `mcp__${C.mcpServer}__${C.mcpTool}`,
    ...LINES,
  ]
  const shades = guesses.flatMap((guess) => [guess, `${guess}\n`].flatMap(shadows)).filter((one) => one.length >= 8)
  const lengths = new Set(LINES.map((line) => Buffer.byteLength(line)).filter((length) => length > 250))
  for (const [way, all] of Object.entries(ways)) {
    expect(all, `${way}: something has left`).toContain(ID)
    for (const [place, canary] of Object.entries(C))
      expect(all.toLowerCase().includes(canary), `${way}: ${place}`).toBe(false)
    expect(
      shades.filter((one) => all.includes(one)),
      way,
    ).toEqual([])
    const numbers = new Set([...all.matchAll(/(?<![\w.-])\d{3,5}(?![\w.-])/g)].map(([number]) => Number(number)))
    expect(
      [...lengths].filter((length) => numbers.has(length)),
      `${way}: lengths of records`,
    ).toEqual([])
  }
}, 120_000)

test('what was chosen leaves, and the test finds it where it is', async () => {
  const ways = await left({ ...FACTS, toolNames: true, agentTypes: true, lengths: true })
  for (const [way, all] of Object.entries(ways)) {
    for (const name of [C.mcpServer, C.mcpTool, C.ownTool, C.agentType])
      expect(all.includes(name), `${way}: ${name}`).toBe(true)
    expect(all.includes(C.prompt)).toBe(false)
    if (way !== 'otlp') expect(all).toMatch(new RegExp(`"length":${Buffer.byteLength(LINES[0] as string)}\\b`))
  }
  const prompts = await left({ ...FACTS, content: 'prompts' })
  for (const all of Object.values(prompts))
    expect([all.includes(C.prompt), all.includes(C.answer)]).toEqual([true, false])
}, 120_000)
