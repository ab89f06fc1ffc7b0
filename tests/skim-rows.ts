/** Rows with everything in them that a skim reads. */

const UUID = '0f3c5a7e-1b2d-4c6f-8a9b-0c1d2e3f4a5b'
const PARENT = '11111111-2222-4333-8444-555555555555'

const ENVELOPE = {
  parentUuid: PARENT,
  logicalParentUuid: null,
  isSidechain: false,
  userType: 'external',
  cwd: '/home/ana/work',
  sessionId: '6f6f6f6f-0000-4000-8000-000000000000',
  version: '2.1.325',
  gitBranch: 'main',
  slug: 'quiet-river',
  uuid: UUID,
  timestamp: '2026-02-28T23:59:59.999Z',
}

const USAGE = {
  input_tokens: 12,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 4000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  output_tokens: 56,
  server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
  service_tier: 'standard',
  speed: 'fast',
  inference_geo: 'us',
}

/** An assistant row with these blocks. */
export function answer(content: unknown, more: object = {}, message: object = {}): string {
  return JSON.stringify({
    ...ENVELOPE,
    message: {
      model: 'claude-opus-5-5',
      id: 'msg_01ABC',
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: 'tool_use',
      usage: USAGE,
      ...message,
    },
    requestId: 'req_01',
    requestRef: 'ref-1',
    type: 'assistant',
    ...more,
  })
}

/** A user row that answers calls. */
export function results(content: unknown, toolUseResult?: unknown, more: object = {}): string {
  return JSON.stringify({ ...ENVELOPE, type: 'user', message: { role: 'user', content }, toolUseResult, ...more })
}

/** A row of another type. */
export function row(type: string, more: object): string {
  return JSON.stringify({ ...ENVELOPE, type, ...more })
}

export const FULL_ROWS: readonly string[] = [
  answer([
    { type: 'thinking', thinking: 'Let me readFile2 firstly.', signature: 'abc=' },
    { type: 'text', text: 'Où est getUserName? 使用TypeScript编写\n\t"quoted" \\ 😀\u0000' },
    {
      type: 'tool_use',
      id: 'toolu_01',
      name: 'Edit',
      input: {
        path: 'b.ts',
        file_path: 'C:\\a\\b.ts',
        edits: [{ old_string: 'fooBar', new_string: 'HTTPServer2' }],
        n: 1.5e-3,
        on: true,
        none: null,
      },
    },
  ]),
  answer(
    [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'größeÄndern' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [{ type: 'web_search_result', title: 'Ünder', url: 'https://example.com', encrypted_content: 'Zm9v' }],
      },
    ],
    { forkedFrom: { sessionId: 'aaaaaaaa-0000-4000-8000-000000000000', messageUuid: UUID }, agentId: 'a1b2' },
  ),
  answer('A plain stringContent', { isApiErrorMessage: true, error: 'rate_limit' }, { model: '<synthetic>' }),
  results(
    [
      {
        tool_use_id: 'toolu_01',
        type: 'tool_result',
        is_error: true,
        content: [
          { type: 'text', text: '     1→const fooBar = 1\n     2→' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
      { type: 'tool_result', tool_use_id: 'toolu_02', content: 'short' },
    ],
    {
      filePath: '',
      file: { filePath: '/a/b.ts', base64: 'abc' },
      persistedOutputPath: '/t/1.txt',
      stdout: 'the whole outPut',
      stderr: ' ',
    },
    { sourceToolAssistantUUID: PARENT, isMeta: false },
  ),
  row('system', { subtype: 'informational', content: 'Hook said blockedByRule', level: 'error', isMeta: true }),
  row('system', { subtype: 'api_error', level: 'error', error: { message: 'overloaded' }, retryInMs: 500.25 }),
  row('attachment', { attachment: { type: 'skill_listing', content: 'x', toolUseID: 'toolu_03' } }),
  row('attachment', { attachment: { type: 'file', filename: '/a.md', content: { text: 'givenText' } } }),
  row('progress', {
    data: { type: 'agent_progress', agentId: 'ab12', message: { type: 'user' } },
    toolUseID: 'agent_msg_1',
    parentToolUseID: 'toolu_01',
  }),
  JSON.stringify({
    type: 'file-history-snapshot',
    messageId: UUID,
    snapshot: { messageId: UUID, trackedFileBackups: {}, timestamp: '2024-02-29T00:00:00.000Z' },
    isSnapshotUpdate: false,
  }),
  JSON.stringify({ type: 'api-request', id: 'ref-1', timestamp: '2026-02-28T23:59:59.999Z', version: '2.1.325' }),
]
