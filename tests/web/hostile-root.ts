import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Texts that would run, or load something, if anything took them for more than text. */
export const PAYLOADS = [
  '<img src=x onerror="window.__pwn=1">',
  '<script>window.__pwn=1</script>',
  '<svg><style><img src=x onerror=window.__pwn=1></style></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.__pwn=1>',
  '<iframe srcdoc="<script>parent.__pwn=1</script>"></iframe>',
  '<style>*{background:url(http://evil.example/s)}</style>',
  '<link rel=stylesheet href=http://evil.example/l>',
  '<a href="javascript:window.__pwn=1">x</a>',
  '[x](javascript:window.__pwn=1)',
  '[x](java\tscript:window.__pwn=1)',
  '[x](data:text/html,<script>window.__pwn=1</script>)',
  '[x](vbscript:window.__pwn=1)',
  '<javascript:window.__pwn=1>',
  '![p](http://evil.example/p.png)',
  '![p](//evil.example/q.png)',
  '[![p](http://evil.example/r.png)](http://evil.example/)',
  '<!-- --><img src=x onerror=window.__pwn=1> <!--',
  '`<img src=x onerror=window.__pwn=1>`',
  '```html\n<img src=x onerror=window.__pwn=1>\n```',
  '```"><img src=x onerror=window.__pwn=1>\n```',
  '| a |\n|--:|\n| <img src=x onerror=window.__pwn=1> |',
  '<mark onmouseover=window.__pwn=1>mark</mark>',
  '\u202e<b>turned</b>',
  '\u001b]8;;javascript:window.__pwn=1\u0007x\u001b]8;;\u0007',
  '{{constructor.constructor("window.__pwn=1")()}}',
  '__proto__',
  'constructor',
] as const

/** The word by which all of them are found. */
export const WORD = 'findmehere'

/** Writes a root in which every payload stands in every place that a page shows. */
export function writeHostileRoot(root: string, now: Date): void {
  const history: string[] = []
  mkdirSync(join(root, 'plans'), { recursive: true })
  for (const [i, payload] of PAYLOADS.entries()) {
    const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    const cwd = `/home/ana/${i}/${payload.replaceAll('/', '\u2215')}`
    const at = (second: number) => new Date(now.getTime() - i * 60_000 + second * 1000).toISOString()
    const folder = join(root, 'projects', `-home-ana-${i}`)
    mkdirSync(folder, { recursive: true })
    const row = (type: string, n: number, rest: object) => ({
      type,
      uuid: `${id.slice(0, -3)}${n}${id.slice(-2)}`,
      parentUuid: n === 0 ? null : `${id.slice(0, -3)}${n - 1}${id.slice(-2)}`,
      sessionId: id,
      timestamp: at(n),
      cwd,
      gitBranch: payload,
      version: '2.1.325',
      ...rest,
    })
    const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const edit = { file_path: `/home/ana/${i}/${payload}.ts`, old_string: payload, new_string: `${payload}!` }
    const said = [
      { type: 'text', text: `${WORD} ${payload}` },
      { type: 'tool_use', id: `toolu_${i}`, name: 'Edit', input: edit },
      { type: 'tool_use', id: `toolu_x${i}`, name: payload, input: { [payload]: payload } },
      { type: 'tool_use', id: `toolu_p${i}`, name: 'ExitPlanMode', input: { plan: `# ${payload}\n\n${payload}` } },
    ]
    const answers = ['', 'x', 'p'].map((part) => {
      return { type: 'tool_result', tool_use_id: `toolu_${part}${i}`, content: payload, is_error: part === 'x' }
    })
    const rows = [
      row('user', 0, { message: { role: 'user', content: `${payload} ${WORD}` } }),
      row('assistant', 1, {
        message: { id: `msg_${i}`, role: 'assistant', model: payload, content: said, usage },
        requestId: `req_${i}`,
      }),
      row('user', 2, { message: { role: 'user', content: answers }, toolUseResult: payload }),
      { type: 'custom-title', customTitle: payload, sessionId: id },
      { type: payload, sessionId: id, [payload]: payload },
    ]
    writeFileSync(join(folder, `${id}.jsonl`), rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
    writeFileSync(join(root, 'plans', `plan-${i}.md`), `# ${payload}\n\n${payload}\n`)
    history.push(
      JSON.stringify({
        display: payload,
        pastedContents: {},
        timestamp: now.getTime() - i,
        project: cwd,
        sessionId: id,
      }),
    )
  }
  writeFileSync(join(root, 'history.jsonl'), `${history.join('\n')}\n`)
}
