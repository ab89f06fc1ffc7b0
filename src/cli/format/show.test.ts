import { expect, test } from 'vitest'
import { agentOf, callOf, itemOf, sessionOf, turnOf, viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatShow } from './show.ts'

const closed = { ...samples.show, agents: [] }

test('reads like a conversation', () => {
  expect(formatShow(closed, viewOf())).toEqual([
    'Fix token refresh race',
    'api · main · yesterday 09:00 · 25 min active · expires in 29 d',
    '',
    '1 › why are users logged out with two tabs open?',
    '    read 2 files · searched refresh',
    '    Both tabs spend the same **refresh token**.',
    '',
    '2 › fix it, with a test',
    '    ◆ Explore  find callers    12 tools',
    '    edit  src/auth/refresh.ts  +2 −1',
    '    bash  npm test             ✗ 2 lines',
    '    bash  npm test             ✓',
    '    ✻ A race.',
    '',
    '    /cost',
    '      Total cost: $0.41',
    '',
    '    ! git status',
    '      clean',
    '',
    '    ◇ Agent "x" finished',
    '    » Go on.',
    '    ■ interrupted during a tool call',
    '    ✗ API Error: 529 Overloaded',
    '    @ README.md',
    '    · Unknown command: /x',
    '',
    '    ── compacted (auto) · 154k → 6.41k tokens ──────────────────────────────',
    '',
    '    Added a mutex; two tests cover it.',
    '',
    '✗ 1 call failed · 2: bash npm test',
    '↶ one abandoned branch after 1: make it blue',
    'annals resume 3f9a1b2c   annals show 3f9a1b2c --tree',
  ])
})

test('leaves tool calls out when they are not wanted', () => {
  const lines = formatShow(closed, viewOf({ tools: 'none' }))
  expect(lines).not.toContainEqual(expect.stringContaining('npm test'))
  expect(lines).toContain('    Added a mutex; two tests cover it.')
})

test('shows what went into a call and what came out of it', () => {
  const output = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join('\n')
  const result = {
    ...closed,
    turns: [
      turnOf(1, 'go', [
        callOf('Read', { file_path: '/code/api/a.ts' }, { result: '1\talpha' }),
        callOf('Read', { file_path: '/code/api/b.ts' }, { result: '1\tbeta' }),
        callOf('Bash', { command: 'make' }, { result: output, exitCode: 0, durationMs: 3200 }),
        callOf('Write', { file_path: '/code/api/c.ts', content: 'one\ntwo\n' }),
        callOf('mcp__tracker__find', { query: 'login', depth: { levels: [1, 2] } }, { result: 'nothing' }),
      ]),
    ],
  }
  const lines = formatShow(result, viewOf({ tools: 'full' }))
  expect(lines.slice(3, -4)).toEqual([
    '1 › go',
    '    read   a.ts',
    '      1   alpha',
    '',
    '    read   b.ts',
    '      1   beta',
    '',
    '    bash   make  ✓ 3.2 s',
    ...Array.from({ length: 16 }, (_, i) => `      line ${i + 1}`),
    '      … 10 more lines: --full',
    ...[27, 28, 29, 30].map((i) => `      line ${i}`),
    '',
    '    write  c.ts  +2',
    '      1 + one',
    '      2 + two',
    '',
    '    mcp    tracker find login',
    '      depth: { levels: [1, 2] }',
    '      nothing',
  ])
})

test('opens agents where they were started', () => {
  const lines = formatShow(samples.show, viewOf())
  const at = lines.indexOf('    ◆ Explore  find callers    12 tools')
  expect(lines.slice(at + 1, at + 3)).toEqual(['    │ 1 › Find every caller.', '    │     There are two.'])
})

test('puts agents that no call started at the end', () => {
  const lone = { agent: agentOf({ id: 'ffff0000ffff0000', description: 'lone' }), turns: [] }
  const lines = formatShow({ ...closed, agents: [lone] }, viewOf())
  expect(lines).toContain('◆ Explore  lone')
})

test('shows an agent under its own name', () => {
  const lines = formatShow({ ...closed, branches: [], agent: agentOf() }, viewOf())
  expect(lines.slice(0, 3)).toEqual([
    '◆ Explore  find callers of refresh()',
    'yesterday · 2 min · 12 tools · claude-opus-5',
    '340 tokens out · 1.2k in · 56k from cache · 24 lines, 9 kB',
  ])
  expect(lines.at(-1)).toBe('annals show 3f9a1b2c')
})

test('marks what was queued, pictures, bash mode and commands', () => {
  const turns = [
    turnOf(1, 'and this', [], { kind: 'queued' }),
    turnOf(2, 'see', [], { images: 2 }),
    turnOf(3, 'ls', [], { kind: 'bash', output: 'a\nb' }),
    turnOf(4, '/review main', [], { kind: 'command' }),
  ]
  expect(formatShow({ ...closed, branches: [], turns, totalTurns: 9 }, viewOf()).slice(3)).toEqual([
    '1 › and this  (queued)',
    '',
    '2 › see  (2 images)',
    '',
    '3 ! ls',
    '      a',
    '      b',
    '',
    '4 › /review main',
    '',
    '4 of 9 turns shown',
    'annals resume 3f9a1b2c',
  ])
})

test('folds a long prompt', () => {
  const text = Array.from({ length: 40 }, (_, i) => `row ${i}`).join('\n')
  const result = { ...closed, turns: [turnOf(1, text, [])] }
  expect(formatShow(result, viewOf())).toContain('    … 26 more lines: --full')
  expect(formatShow(result, viewOf({ tools: 'full' }))).toContain('    row 39')
})

test('says where a session comes from and goes to, and what it cost', () => {
  const session = sessionOf({ forkedFrom: 'aaaaaaaa-1', continuedIn: 'bbbbbbbb-2', costUsd: 4.123, kept: true })
  const turns = [{ ...turnOf(1, 'why?', [itemOf('text', { text: 'So.', messageId: 'm' })]), costUsd: 0.61 }]
  const lines = formatShow({ ...closed, session, turns }, viewOf({ width: 60 }))
  expect(lines[1]).toBe('api · main · yesterday 09:00 · 25 min active · $4.12 · kept')
  expect(lines[2]).toBe('forked from aaaaaaaa · continued in bbbbbbbb')
  expect(lines[4]).toBe(`1 › why?${' '.repeat(47)}$0.61`)
})

test('tells that a branch was abandoned, and that all are shown', () => {
  const abandoned = formatShow({ ...closed, branch: 'leaf-1' }, viewOf())
  expect(abandoned).toContain('↶ This branch was abandoned; the conversation continued in another')
  const all = formatShow({ ...closed, branch: 'all' }, viewOf())
  expect(all).toContain('All 2 branches, in the order they were written')
})

test('what a custom command was expanded into is shown with all of the tools', () => {
  const turns = [turnOf(1, '/review main', [], { kind: 'command', expansion: 'Review the branch main.' })]
  const shown = (tools: 'brief' | 'full') => formatShow({ ...closed, turns }, viewOf({ tools })).join('\n')
  expect(shown('brief')).not.toContain('Review the branch')
  expect(shown('full')).toContain('Review the branch main.')
})

test('turns say when they began, and which model answers from there on', () => {
  const session = sessionOf({ models: ['claude-opus-4-8'] })
  const at = (number: number, startedAt: string, models: string[]) => ({
    ...turnOf(number, `ask ${number}`, []),
    startedAt,
    models,
    costUsd: 1,
  })
  const turns = [
    at(1, '2026-11-14T09:00:00.000Z', ['claude-opus-4-8']),
    at(2, '2026-11-14T09:05:00.000Z', ['claude-haiku-4-5']),
    at(3, '2026-11-14T09:10:00.000Z', ['claude-haiku-4-5']),
  ]
  const lines = formatShow({ ...closed, session, turns, totalTurns: 3 }, viewOf({ width: 60 }))
  expect(lines[1]).toBe('api · main · yesterday 09:00 · 25 min active · opus-4-8')
  expect(lines.filter((line) => line.includes('›'))).toEqual([
    '1 › ask 1                                       09:00  $1.00',
    '2 › ask 2                             09:05 haiku-4-5  $1.00',
    '3 › ask 3                                       09:10  $1.00',
  ])
})

test('with --full nothing is folded', () => {
  const output = Array.from({ length: 99 }, (_, i) => `line ${i + 1}`).join('\n')
  const turns = [turnOf(1, 'go', [callOf('Bash', { command: 'make' }, { result: output, exitCode: 0 })])]
  const lines = formatShow({ ...closed, turns, agents: [] }, viewOf({ tools: 'full', input: { full: true } }))
  expect(lines).toContain('      line 50')
  expect(lines.join('\n')).not.toContain('more lines')
})

test('what is told of a session breaks between facts, never inside of one', () => {
  expect(formatShow(closed, viewOf({ width: 54 })).slice(1, 3)).toEqual([
    'api · main · yesterday 09:00 · 25 min active',
    'expires in 29 d',
  ])
})
