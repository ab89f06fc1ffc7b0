import type { Static } from 'typebox'
import type { ops } from '../../ops/index.ts'
import { agentOf, callOf, itemOf, NOW, place, sessionOf, turnOf } from './sample-parts.ts'

/** Hand-made results, for tests. */
type Results = { readonly [Name in keyof typeof ops]: Static<(typeof ops)[Name]['result']> }

const turns = [
  turnOf(1, 'why are users logged out with two tabs open?', [
    callOf('Read', { file_path: '/code/api/src/a.ts' }),
    callOf('Read', { file_path: '/code/api/src/b.ts' }),
    callOf('Grep', { pattern: 'refresh' }),
    itemOf('text', { text: 'Both tabs spend the same **refresh token**.', messageId: 'm1' }),
  ]),
  turnOf(2, 'fix it, with a test', [
    callOf(
      'Task',
      { description: 'find callers' },
      {
        agents: [
          {
            id: 'a1b2c3d4e5f60718',
            type: 'Explore',
            description: 'find callers',
            toolUses: 12,
            costUsd: null,
            failed: null,
          },
        ],
      },
    ),
    callOf(
      'Edit',
      { file_path: '/code/api/src/auth/refresh.ts', old_string: 'a', new_string: 'b' },
      {
        patch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [' x', '-a', '+b', '+c'] }],
      },
    ),
    callOf('Bash', { command: 'npm test' }, { result: 'Exit code 1\none\ntwo', isError: true, exitCode: 1 }),
    callOf('Bash', { command: 'npm test' }, { result: 'ok', exitCode: 0 }),
    itemOf('thinking', { text: 'A race.' }),
    itemOf('command', { name: '/cost', args: '', output: 'Total cost: $0.41' }),
    itemOf('bash', { input: 'git status', output: 'clean' }),
    itemOf('notification', { text: 'Agent "x" finished', status: 'completed', toolUseId: null }),
    itemOf('automated', { text: 'Go on.' }),
    itemOf('interrupt', { text: '[Request interrupted by user for tool use]' }),
    itemOf('error', { text: 'API Error: 529 Overloaded' }),
    itemOf('attachment', { subtype: 'file', text: '/code/api/README.md' }),
    itemOf('system', { subtype: 'informational', text: 'Unknown command: /x' }),
    itemOf('compaction', { trigger: 'auto', preTokens: 154_000, postTokens: 6410, summary: 'We fixed it.' }),
    itemOf('text', { text: 'Added a mutex; two tests cover it.', messageId: 'm2' }),
  ]),
]

const node = {
  parent: null,
  logicalParent: null,
  type: 'user',
  kind: 'prompt',
  sidechain: false,
  attachedBy: 'parent',
  timestamp: NOW,
  ...place,
}
const project = {
  root: '/home/ana/.claude',
  key: '-code-api',
  dir: '/home/ana/.claude/projects/-code-api',
  path: '/code/api',
  repository: '/code/api',
  worktree: false,
  sessions: 7,
  agents: 11,
  sizeBytes: 192_000,
  firstActivity: NOW,
  lastActivity: NOW,
}
const touch = {
  path: '/code/api/src/auth/refresh.ts',
  operation: 'edit',
  session: '3f9a1b2c-0000-4000-8000-000000000001',
  agent: null,
  timestamp: NOW,
  toolUseId: 'toolu_1',
  isError: false,
  added: 18,
  removed: 4,
  version: null,
  backup: null,
  ...place,
}
const plan = {
  from: 'log',
  slug: null,
  title: 'Rate limits',
  text: '# Rate limits\n\nFirst the window.',
  session: '3f9a1b2c-0000-4000-8000-000000000001',
  agent: null,
  timestamp: NOW,
  accepted: true,
  ...place,
}

/** A result of every operation that holds something of everything. */
export const samples: Results = {
  agents: {
    items: [agentOf(), agentOf({ id: 'b0b0b0b0b0b0b0b0', failedAt: { reason: 'Overloaded', ...place } })],
    total: 2,
    hidden: { warmup: 3 },
  },
  check: {
    summary: {
      files: 2,
      bytes: 1000,
      lines: 11,
      blankLines: 0,
      records: 10,
      diagnostics: 2,
      pendingBytes: 5,
      recordBytes: 970,
      diagnosticBytes: 15,
      separatorBytes: 10,
    },
    types: { user: 5, assistant: 5 },
    systemSubtypes: {},
    versions: { '2.0.77': 4, '2.1.325': 6 },
    diagnostics: [
      { code: 'BAD_JSON', message: '15 bytes are not JSON.', salvaged: false, ...place },
      { code: 'GLUED', message: '2 records stand on one line; all were read.', salvaged: true, ...place, line: 14 },
    ],
    drift: [
      {
        kind: 'NEW_FIELD',
        type: 'user',
        path: 'message.novel',
        count: 12,
        versions: ['2.1.300', '2.1.325'],
        example: place,
      },
    ],
    others: { history: { files: 1, records: 30, problems: 0 } },
  },
  doctor: {
    checks: [
      { name: 'root', ok: true, detail: '/home/ana/.claude holds 15 session logs.', fix: null },
      { name: 'permissions', ok: false, detail: 'Everyone can read it.', fix: 'chmod 700 /home/ana/.claude' },
    ],
    ok: false,
  },
  files: {
    items: [
      touch,
      { ...touch, operation: 'write', added: 2, removed: 0 },
      { ...touch, path: '/code/api/b.ts', agent: 'a1b2c3d4e5f60718', isError: true },
    ],
    total: 3,
  },
  memory: {
    items: [
      {
        name: 'tests',
        project: { key: '-code-api', path: '/code/api' },
        agent: null,
        session: null,
        file: '/home/ana/.claude/projects/-code-api/memory/tests.md',
        sizeBytes: 86,
        modifiedAt: NOW,
        text: 'Run `npm test`.',
      },
    ],
    total: 1,
  },
  path: {
    path: '/code/api',
    key: '-code-api',
    dir: '/home/ana/.claude/projects/-code-api',
    exists: true,
    latestSession: '3f9a1b2c-0000-4000-8000-000000000001',
    file: null,
    project: null,
  },
  plans: {
    items: [
      plan,
      { ...plan, from: 'plans', slug: 'calm-otter', title: 'Pictures', session: null, accepted: null, line: null },
    ],
    total: 2,
  },
  projects: {
    items: [
      project,
      {
        ...project,
        key: '-code-api-wt',
        path: '/code/api/.claude/worktrees/wt',
        worktree: true,
        sessions: 1,
        agents: 0,
      },
      { ...project, key: '-notes', path: null, repository: null },
    ],
    total: 3,
    families: [
      {
        project: '-code-api',
        session: '3f9a1b2c-0000-4000-8000-000000000001',
        agents: ['a1b2c3d4e5f60718'],
        sizeBytes: 46_000,
      },
    ],
  },
  prompts: {
    items: [
      {
        text: 'fix it all',
        typed: 'fix [Pasted text #1]',
        timestamp: NOW,
        project: '/code/api',
        sessionId: '3f9a1b2c-0000-4000-8000-000000000001',
        pastes: [],
        sent: true,
      },
      {
        text: 'never mind',
        typed: 'never mind',
        timestamp: null,
        project: null,
        sessionId: null,
        pastes: [],
        sent: false,
      },
    ],
    total: 40,
  },
  resume: {
    session: '3f9a1b2c-0000-4000-8000-000000000001',
    title: 'Fix token refresh race',
    cwd: "/code/ana's api",
    command: ['claude', '--resume', '3f9a1b2c-0000-4000-8000-000000000001'],
    print: true,
  },
  sessions: {
    items: [
      sessionOf({ id: '88aa0000-0000-4000-8000-000000000002', title: 'Migrate queue', status: 'live', updatedAt: NOW }),
      sessionOf(),
      sessionOf({ id: '11bb0000-0000-4000-8000-000000000003', title: null, expiresAt: '2026-11-18T13:00:00.000Z' }),
    ],
    total: 40,
    hidden: { empty: 3, 'summary-only': 1 },
  },
  show: {
    session: sessionOf(),
    agent: null,
    branch: 'leaf-2',
    branches: [
      { leaf: 'leaf-1', active: false, from: 'u-text', after: 1, prompts: 2, title: 'make it blue' },
      { leaf: 'leaf-2', active: true, from: 'u-text', after: 1, prompts: 2, title: 'fix it' },
    ],
    turns,
    totalTurns: 2,
    compactions: [],
    agents: [
      { agent: agentOf(), turns: [turnOf(1, 'Find every caller.', [itemOf('text', { text: 'There are two.' })])] },
    ],
  },
  skills: {
    items: [
      {
        kind: 'command',
        name: 'review',
        group: 'team',
        description: 'Reviews a branch.',
        path: '/x/review.md',
        body: '',
        uses: 3,
        lastUsed: NOW,
      },
      {
        kind: 'agent',
        name: 'reviewer',
        group: null,
        description: null,
        path: '/x/reviewer.md',
        body: '',
        uses: 0,
        lastUsed: null,
      },
    ],
    total: 2,
  },
  status: {
    roots: [
      {
        path: '/home/ana/.claude',
        projects: 4,
        sessions: 15,
        agents: 13,
        sizeBytes: 294_000,
        retentionDays: 36,
        retentionSetIn: '/home/ana/.claude/settings.json',
      },
    ],
    live: [
      { pid: 4242, session: '88aa0000-0000-4000-8000-000000000002', cwd: '/code/api', status: 'busy', since: NOW },
    ],
    expiring: [sessionOf({ expiresAt: '2026-11-18T13:00:00.000Z' })],
    newest: [sessionOf()],
    total: 15,
  },
  tail: { session: sessionOf(), turns: turns.slice(1), items: [] },
  todos: {
    items: [
      {
        from: 'call',
        session: '3f9a1b2c-0000-4000-8000-000000000001',
        agent: 'a1b2c3d4e5f60718',
        timestamp: NOW,
        todos: [
          { id: '1', text: 'Add the handler', status: 'completed' },
          { id: '2', text: 'Cover it', status: 'in_progress' },
          { id: '3', text: 'Ship it', status: null },
        ],
        ...place,
      },
    ],
    total: 1,
  },
  tree: {
    session: '3f9a1b2c-0000-4000-8000-000000000001',
    nodes: [
      { ...node, uuid: 'p1', attachedTo: null, attachedBy: 'root', text: 'why?' },
      { ...node, uuid: 'a1', attachedTo: 'p1', type: 'assistant', kind: 'response', text: null },
      { ...node, uuid: 'p2', attachedTo: 'a1', text: 'make it blue' },
      { ...node, uuid: 'p3', attachedTo: 'p2', text: 'and green' },
      {
        ...node,
        uuid: 'p4',
        attachedTo: 'a1',
        kind: 'command',
        text: '<command-name>/fix</command-name><command-args>it</command-args>',
      },
    ],
    branches: [
      { leaf: 'p3', active: false, from: 'a1', after: 1, prompts: 3, title: 'make it blue' },
      { leaf: 'p4', active: true, from: 'a1', after: 1, prompts: 2, title: '/fix it' },
    ],
    sidechains: [{ root: 's1', rows: 7 }],
    unreachable: 0,
    diagnostics: [{ code: 'MISSING_PARENT', message: 'Its parent x is not in this log.', salvaged: true, ...place }],
  },
}

/** The same operations where nothing was found. Those that name a session fail instead. */
export const empties: Partial<Results> = {
  agents: { items: [], total: 0, hidden: {} },
  check: {
    ...samples.check,
    summary: Object.assign({}, ...Object.keys(samples.check.summary).map((key) => ({ [key]: 0 }))),
    versions: {},
    diagnostics: [],
    drift: [],
    others: {},
  },
  doctor: { checks: [], ok: true },
  files: { items: [], total: 0 },
  memory: { items: [], total: 0 },
  plans: { items: [], total: 0 },
  projects: { items: [], total: 0, families: [] },
  prompts: { items: [], total: 0 },
  sessions: { items: [], total: 0, hidden: {} },
  show: { ...samples.show, branches: [], turns: [], totalTurns: 0, agents: [] },
  skills: { items: [], total: 0 },
  status: { roots: [], live: [], expiring: [], newest: [], total: 0 },
  tail: { session: sessionOf(), turns: [], items: [] },
  todos: { items: [], total: 0 },
  tree: { ...samples.tree, nodes: [], branches: [], sidechains: [], diagnostics: [] },
}
