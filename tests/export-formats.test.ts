import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../src/core/json.ts'
import { show } from '../src/ops/show.ts'
import { contextIn, filesBelow, runExport, textOf } from './export-run.ts'

const id = 'cccccccc-0000-4000-8000-000000000003'
const folder = mkdtempSync(join(tmpdir(), 'annals-export-formats-'))
const project = join(folder, 'root', 'projects', '-code-api')

let rows = 0
/** A row as the client writes it, a second after the one before it. */
function row(type: string, more: JsonObject, owner: JsonObject = {}): string {
  const at = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const base = {
    type,
    uuid: at(++rows),
    parentUuid: owner.first === true || rows === 1 ? null : at(rows - 1),
    sessionId: id,
    timestamp: new Date(Date.UTC(2026, 10, 12, 9, 30, rows)).toISOString(),
    cwd: '/code/api',
    gitBranch: 'main',
    version: '2.1.325',
    isSidechain: owner.agentId !== undefined,
  }
  const { first: _, ...fields } = owner
  return `${JSON.stringify({ ...base, ...fields, ...more })}\n`
}

const user = (content: unknown, more: JsonObject = {}, owner: JsonObject = {}) =>
  row('user', { message: { role: 'user', content } as JsonObject, ...more }, owner)

function assistant(message: string, content: readonly JsonObject[], owner: JsonObject = {}): string {
  const usage = {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 40,
  }
  const body = {
    id: message,
    role: 'assistant',
    model: 'claude-opus-4-1-20250805',
    stop_reason: 'end_turn',
    content,
    usage,
  }
  return row('assistant', { requestId: `req_${message}`, message: body }, owner)
}

const answer = (tool: string, content: string, isError = false): readonly JsonObject[] => [
  { type: 'tool_result', tool_use_id: tool, content, is_error: isError },
]
const call = (tool: string, name: string, input: JsonObject): JsonObject => ({
  type: 'tool_use',
  id: tool,
  name,
  input,
})

beforeAll(() => {
  mkdirSync(join(project, id, 'subagents'), { recursive: true })
  const agent = { agentId: 'a1' }
  writeFileSync(
    join(project, `${id}.jsonl`),
    [
      user('Why is **it** slow | broken?\n\n```\nunclosed'),
      assistant('m1', [
        { type: 'thinking', thinking: 'A lock?', signature: 'x' },
        { type: 'text', text: '# Because\n\nof <b>this</b>.' },
        call('t1', 'Bash', { command: 'npm test' }),
      ]),
      user(answer('t1', 'Exit code 1\n\u001b[31mred\u001b[0m ``` fence', true)),
      assistant('m2', [
        call('t2', 'Edit', { file_path: '/code/api/src/a.ts', old_string: 'x\nold\ny', new_string: 'x\nnew\ny' }),
      ]),
      user(answer('t2', 'Done.')),
      assistant('m3', [call('t3', 'Task', { description: 'look', prompt: 'Look.', subagent_type: 'Explore' })]),
      user(answer('t3', 'Found.'), { toolUseResult: { agentId: 'a1', status: 'completed' } }),
      user('ok'),
      assistant('m4', [{ type: 'text', text: '=1+1' }]),
      `${JSON.stringify({ type: 'custom-title', customTitle: '=A | "title"', sessionId: id })}\n`,
    ].join(''),
  )
  writeFileSync(
    join(project, id, 'subagents', 'agent-a1.jsonl'),
    [
      user('Look.', {}, { ...agent, first: true }),
      assistant('m5', [call('t5', 'Grep', { pattern: 'x' })], agent),
      user(answer('t5', 'src/a.ts'), {}, agent),
      assistant('m6', [{ type: 'text', text: 'Found.' }], agent),
    ].join(''),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (to: 'md' | 'html' | 'json' | 'csv' | 'parquet', more = {}) =>
  runExport(folder, { sessions: [id], to, out: `${to}/`, force: true, ...more })
const base = `2026-11-12-a-title-${id.slice(0, 8)}`

test('Markdown reads as a document', async () => {
  await run('md')
  const text = textOf(folder, 'md', `${base}.md`)
  const [, front = '', ...rest] = text.split(/^---$/m)
  expect(front.trim().split('\n')).toEqual([
    `id: "${id}"`,
    'title: "=A | \\"title\\""',
    'project: "/code/api"',
    'gitBranch: "main"',
    'createdAt: "2026-11-12T09:30:01.000Z"',
    'updatedAt: "2026-11-12T09:30:09.000Z"',
    'models: ["claude-opus-4-1-20250805"]',
    'responses: 6',
    'inputTokens: 60',
    'outputTokens: 120',
    'cacheReadTokens: 1800',
    'cacheWriteTokens: 240',
    expect.stringMatching(/^costUsd: 0\.\d+$/),
    'agents: 1',
    'version: "2.1.325"',
    'redacted: true',
  ])
  const body = rest.join('---').replace(/ · \$\d\.\d\d/g, '')
  expect(body.trim()).toBe(
    `# \\=A \\| "title"

/code/api · main · 2026-11-12 09:30

## 1. Why is \\*\\*it\\*\\* slow \\| broken? \\\`\\\`\\\` unclosed

*2026-11-12 09:30 · 6 s*

> Why is **it** slow | broken?
>
> \`\`\`
> unclosed
> \`\`\`

### Because

of \\<b>this\\</b>.

<details>
<summary>✗ <b>Bash</b> <code>npm test</code> · failed · exit code 1</summary>

\`\`\`\`
red \`\`\` fence
\`\`\`\`

</details>

<details>
<summary><b>Edit</b> <code>src/a.ts</code> · +1 −1</summary>

\`\`\`diff
@@ -1,3 +1,3 @@
 x
-old
+new
 y
\`\`\`

</details>

<details>
<summary>◆ Explore · look · 1 tool call</summary>

> Look.

<details>
<summary><b>Grep</b> <code>x</code></summary>

\`\`\`
src/a.ts
\`\`\`

</details>

Found.

</details>

## 2. ok

*2026-11-12 09:30 · 1 s*

=1+1`,
  )
})

test('thinking is there where it is asked for, and agents where they are wanted', async () => {
  await run('md', { thinking: true, agents: 'none', out: 'thought.md' })
  const text = textOf(folder, 'thought.md')
  expect(text).toContain('<summary>Thinking</summary>\n\nA lock?\n')
  expect(text).toContain('<summary><b>Task</b> <code>look</code></summary>')
  expect(text).not.toContain('◆')
})

test('HTML is one page with a policy, an index of prompts and folds', async () => {
  await run('html')
  const text = textOf(folder, 'html', `${base}.html`)
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1] ?? ''
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'$/)
  expect(text).toContain('<title>=A | &quot;title&quot;</title>')
  expect(text).toContain('<li value="2"><a href="#t2">ok</a></li>')
  expect(text).toContain('<h3>Because</h3>\n<p>of &lt;b&gt;this&lt;/b&gt;.</p>')
  expect(text).toContain('<span class="del">-old</span><span class="add">+new</span>')
  expect(text).toContain('<details class="call failed">\n<summary><b>Bash</b> <code>npm test</code>')
  expect(text).toContain('red ``` fence</pre>')
  expect(text).not.toMatch(/<script|<img|<link|\son\w+=|url\(|@import|\sstyle=/i)
})

test('JSON is what show says, in one object', async () => {
  await run('json')
  const made = parseJson(textOf(folder, 'json', `${base}.json`))
  const context = contextIn(folder)
  const { point: _, ...shown } = await show.run(context, { session: id, agents: true, tools: 'full', thinking: true })
  context.library.close()
  expect(made).toEqual({ schema: 'annals/export/1', redacted: true, ...parsed(shown) })
  const [agent] = shown.agents
  expect(agent?.turns).toHaveLength(1)
})

test('CSV is a table of responses and one of sessions', async () => {
  await run('csv')
  const [head, ...lines] = textOf(folder, 'csv', 'usage.csv').trim().split('\n')
  expect(head).toBe(
    '"timestamp","session","title","project","agent","model","inputTokens","outputTokens","cacheReadTokens",' +
      '"cacheWrite5mTokens","cacheWrite1hTokens","webSearches","costUsd","abandoned","messageId","requestId"',
  )
  expect(lines).toHaveLength(6)
  expect(lines[0]?.replace(/,0\.\d+,/, ',COST,')).toBe(
    `"2026-11-12T09:30:02.000Z","${id}","'=A | ""title""","/code/api",,"claude-opus-4-1",10,20,300,40,0,0,COST,false,"m1","req_m1"`,
  )
  expect(lines.filter((line) => line.includes(',"a1",'))).toHaveLength(2)
  const [names, session, ...others] = textOf(folder, 'csv', 'sessions.csv').trim().split('\n')
  expect(names?.split(',').slice(0, 8)).toEqual(
    ['id', 'title', 'project', 'gitBranch', 'createdAt', 'updatedAt', 'prompts', 'messages'].map((name) => `"${name}"`),
  )
  expect(session).toContain(`"${id}","'=A | ""title""","/code/api","main","2026-11-12T09:30:01.000Z",`)
  expect(others).toEqual([])
})

test('Parquet is three typed tables', async () => {
  await run('parquet')
  expect(filesBelow(join(folder, 'parquet'))).toEqual(['messages.parquet', 'records.parquet', 'responses.parquet'])
  const records = await table('records')
  expect(records.map(({ type, agent }) => [type, agent])).toEqual([
    ...['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'user', 'assistant', 'custom-title'].map(
      (type) => [type, null],
    ),
    ...['user', 'assistant', 'user', 'assistant'].map((type) => [type, 'a1']),
  ])
  expect(records[0]).toMatchObject({
    session: id,
    timestamp: new Date('2026-11-12T09:30:01.000Z'),
    isSidechain: false,
    line: 1n,
    offset: 0n,
    version: '2.1.325',
  })
  expect(parseJson(String(records[9]?.record))).toEqual({
    type: 'custom-title',
    customTitle: '=A | "title"',
    sessionId: id,
  })
  const messages = await table('messages')
  expect(messages.map(({ turn, kind, tool, agent }) => [turn, kind, tool, agent])).toEqual([
    [1n, 'prompt', null, null],
    [1n, 'thinking', null, null],
    [1n, 'text', null, null],
    [1n, 'tool', 'Bash', null],
    [1n, 'tool', 'Edit', null],
    [1n, 'tool', 'Task', null],
    [2n, 'prompt', null, null],
    [2n, 'text', null, null],
    [1n, 'prompt', null, 'a1'],
    [1n, 'tool', 'Grep', 'a1'],
    [1n, 'text', null, 'a1'],
  ])
  expect(messages[3]).toMatchObject({ input: '{"command":"npm test"}', isError: true, exitCode: 1n, messageId: 'm1' })
  const responses = await table('responses')
  expect(responses.map(({ messageId, outputTokens }) => [messageId, outputTokens])).toEqual(
    ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'].map((message) => [message, 20n]),
  )
  expect(responses[0]?.costUsd).toEqual(expect.any(Number))
  const { files } = await run('parquet', { out: 'one.parquet' })
  expect(files).toHaveLength(1)
  expect(
    readFileSync(join(folder, 'one.parquet')).equals(readFileSync(join(folder, 'parquet', 'records.parquet'))),
  ).toBe(true)
})

async function table(name: string) {
  return parquetReadObjects({ file: new Uint8Array(readFileSync(join(folder, 'parquet', `${name}.parquet`))).buffer })
}

/** A value as JSON has it. */
function parsed(value: object): JsonObject {
  const back = parseJson(JSON.stringify(value))
  return isObject(back) ? back : {}
}
