import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatStatus } from './status.ts'

test('tells what there is, what runs, what expires and what is new', () => {
  expect(formatStatus(samples.status, viewOf())).toEqual([
    '~/.claude',
    '  4 projects · 15 sessions · 13 agents · 294 kB',
    '  Claude Code deletes logs after 36 days (set in ~/.claude/settings.json)',
    '',
    'Running now',
    '●  88aa0000  api  busy  since just now  pid 4242',
    '',
    'Expiring soon',
    'id           title                   project    time  active  turns  agents  cost',
    '3f9a1b2c  !  Fix token refresh race  api      14 Nov     25m',
    '',
    '1 session expires within 7 days. Run `annals keep` to keep your history.',
    '',
    'Newest',
    'id          title                   project    time  active  turns  agents  cost',
    '3f9a1b2c    Fix token refresh race  api      14 Nov     25m',
    '',
    'annals sessions   (all 15 sessions)',
  ])
})

test('of many sessions that expire, those that are told are listed and the others counted', () => {
  const [one] = samples.status.expiring as [(typeof samples.status.expiring)[number]]
  const expiring = Array.from({ length: 5 }, (_, at) => ({ ...one, id: `${at}`.padStart(8, '0') }))
  const lines = formatStatus({ ...samples.status, expiring, expiringTotal: 1200 }, viewOf())
  const from = lines.indexOf('Expiring soon')
  expect(lines.slice(from + 2, from + 7).map((line) => line.slice(0, 8))).toEqual([
    '00000000',
    '00000001',
    '00000002',
    '00000003',
    '00000004',
  ])
  expect(lines.slice(from + 7, from + 10)).toEqual([
    '… 1,195 more',
    '',
    '1,200 sessions expire within 7 days. Run `annals keep` to keep your history.',
  ])
})
