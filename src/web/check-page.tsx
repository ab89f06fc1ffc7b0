import { type ReactNode, useState } from 'react'
import type { DiagnosticCode } from '../core/log/diagnostic.ts'
import { DIAGNOSTIC_WORDS, type DiagnosticWords } from '../core/log/diagnostic-words.ts'
import { type OpResult, useOp } from './api.ts'
import { RecordLink } from './record-link.tsx'
import { folderName } from './session-words.ts'
import { Button } from './ui/button.tsx'
import { Card } from './ui/card.tsx'
import { Tag } from './ui/chip.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { Loading } from './ui/loading.tsx'
import { Page } from './ui/page.tsx'
import { Progress } from './ui/progress.tsx'
import { Said } from './ui/said.tsx'
import { Table } from './ui/table.tsx'
import { WithCode } from './ui/with-code.tsx'
import { bytesText, countText, plural } from './ui/words.ts'

type Report = OpResult<'check'>

/** Check: whether all is well, and what in the logs is odd or new. Reading every byte takes a while, so it waits to be asked. */
export function CheckPage() {
  const [isAsked, setAsked] = useState(false)
  const { data, error, isFetching, refetch } = useOp(
    'check',
    {},
    { enabled: isAsked, staleMs: Number.POSITIVE_INFINITY },
  )
  return (
    <Page title="Check">
      <div className="space-y-4">
        <Health />
        <Card
          title="The logs, byte by byte"
          aside={
            <Button
              look={data ? 'plain' : 'main'}
              disabled={isFetching}
              onClick={() => (isAsked ? refetch() : setAsked(true))}
            >
              {isFetching ? 'Reading …' : data || isAsked ? 'Check again' : 'Check the logs'}
            </Button>
          }
        >
          {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
          {data ? <Summary report={data} /> : null}
          {!data && !error && !isFetching ? (
            <p className="text-sm text-muted">
              Reads every log whole, accounts for every byte, and names every oddity and all that is new in the format.
              Large histories take a minute.
            </p>
          ) : null}
          {isFetching ? <Progress op="check" label="How much was read" className="mb-3" /> : null}
          {!data && isFetching ? <Loading rows={4} label="Reading every log …" /> : null}
        </Card>
        {data ? <Findings report={data} /> : null}
      </div>
    </Page>
  )
}

function Health() {
  const { data, error, refetch } = useOp('doctor', {})
  return (
    <Card
      title="Health"
      aside={data ? <Tag tone={data.ok ? 'accent' : 'warn'}>{data.ok ? 'all well' : 'needs a look'}</Tag> : null}
    >
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading rows={4} /> : null}
      <ul className="space-y-1.5 text-sm">
        {data?.checks.map((check) => (
          <Line key={`${check.name} ${check.detail}`} state={check.note ? 'note' : check.ok ? 'well' : 'bad'}>
            {check.ok ? null : <span className="sr-only">Needs a look: </span>}
            <Said>{check.detail}</Said>
            {check.fix !== null ? (
              <span className="block text-muted">
                <WithCode>{check.fix}</WithCode>
              </span>
            ) : null}
          </Line>
        ))}
      </ul>
    </Card>
  )
}

const SIGNS = {
  well: { sign: '✓', look: 'text-live' },
  bad: { sign: '!', look: 'text-warn' },
  note: { sign: '·', look: 'text-muted' },
} as const

/** A sentence with a sign before it; what is only a fact has no tick. */
function Line({ state, children }: { readonly state: keyof typeof SIGNS; readonly children: ReactNode }) {
  const { sign, look } = SIGNS[state]
  return (
    <li className="flex gap-2">
      <span aria-hidden="true" className={`w-3.5 shrink-0 text-center ${look}`}>
        {sign}
      </span>
      <span className="min-w-0">{children}</span>
    </li>
  )
}

function Summary(props: { readonly report: Report }) {
  const { summary, drift, unread } = props.report
  const owned = summary.recordBytes + summary.diagnosticBytes + summary.separatorBytes + summary.pendingBytes
  return (
    <ul className="space-y-1.5 text-sm">
      <Line state="note">
        {plural(summary.files, 'log')}, {bytesText(summary.bytes)}, {plural(summary.records, 'record')}.
      </Line>
      <Line state={owned === summary.bytes ? 'well' : 'bad'}>
        {owned === summary.bytes
          ? 'Every byte is accounted for.'
          : `${countText(Math.abs(summary.bytes - owned))} bytes are not accounted for: please report this.`}
      </Line>
      {unread.map(({ file, message }) => (
        <Line key={file} state="bad">
          <Said>{`${file}: ${message}`}</Said>
        </Line>
      ))}
      <Line state={summary.diagnostics === 0 ? 'well' : 'note'}>
        {summary.diagnostics === 0
          ? 'Nothing odd was found.'
          : `${plural(summary.diagnostics, 'oddity', 'oddities')}, listed below.`}
      </Line>
      <Line state={drift.length === 0 ? 'well' : 'note'}>
        {drift.length === 0
          ? 'Nothing in the format is new.'
          : `${plural(drift.length, 'thing')} in the format not known yet, listed below.`}
      </Line>
      {summary.pendingBytes > 0 ? (
        <Line state="note">{bytesText(summary.pendingBytes)} of last lines are still being written.</Line>
      ) : null}
    </ul>
  )
}

type Oddity = Report['diagnostics'][number]
type Drift = Report['drift'][number]

function Findings(props: { readonly report: Report }) {
  const { diagnostics, drift, versions, types, others } = props.report
  const oddities = grouped(diagnostics, ({ code }) => code)
  const news = grouped(drift, ({ kind }) => kind)
  return (
    <>
      {oddities.length > 0 ? (
        <Card title="Oddities" aside={<Counted kinds={oddities.length} count={diagnostics.length} />}>
          <ul className="divide-y divide-line">
            {oddities.map(([code, items]) => (
              <OddityGroup key={code} code={code} items={items} />
            ))}
          </ul>
        </Card>
      ) : null}
      {news.length > 0 ? (
        <Card title="New in the format" aside={<Counted kinds={news.length} count={drift.length} />}>
          <p className="mb-2 text-sm text-muted">
            What annals does not know yet is kept, counted and shown as it came. What to do: nothing; a newer annals may
            know more.
          </p>
          <ul className="divide-y divide-line">
            {news.map(([kind, items]) => (
              <NewsGroup key={kind} kind={kind} items={items} />
            ))}
          </ul>
        </Card>
      ) : null}
      <div className="grid items-start gap-4 md:grid-cols-3">
        <Counts title="Types of records" counts={types} />
        <Counts title="Client versions" counts={versions} />
        <Counts
          title="Beside the logs"
          counts={Object.fromEntries(Object.entries(others).map(([name, { files }]) => [name, files]))}
        />
      </div>
    </>
  )
}

/** What has one key, together; the most first. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const same = groups.get(keyOf(item))
    if (same) same.push(item)
    else groups.set(keyOf(item), [item])
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length)
}

function Counted(props: { readonly kinds: number; readonly count: number }) {
  return (
    <span className="text-sm text-muted">
      {countText(props.count)} of {plural(props.kinds, 'kind')}
    </span>
  )
}

function OddityGroup(props: { readonly code: string; readonly items: readonly Oddity[] }) {
  const { code, items } = props
  const words = DIAGNOSTIC_WORDS[code as DiagnosticCode] as DiagnosticWords | undefined
  const lost = items.filter(({ salvaged }) => !salvaged).length
  return (
    <li className="py-2">
      <details>
        <summary className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium">{words?.name ?? code}</span>
          <span className="text-sm text-muted">{countText(items.length)}×</span>
          <Tag tone={lost > 0 ? 'warn' : 'plain'}>{lost > 0 ? `${countText(lost)} not readable` : 'nothing lost'}</Tag>
        </summary>
        <Places
          items={items.map((one) => ({ ...one, key: `${one.file} ${one.offset} ${one.length} ${one.message}` }))}
          textOf={({ message }) => message}
        />
      </details>
      {words ? (
        <p className="mt-0.5 text-sm">
          {words.means} <span className="text-muted">What to do: {words.todo}</span>
        </p>
      ) : null}
    </li>
  )
}

const NEWS: Readonly<Record<string, string>> = {
  NEW_TYPE: 'Records of a new type',
  NEW_FIELD: 'New fields',
  NEW_VALUE: 'New values',
  TYPE_MISMATCH: 'Fields of another type',
}

function NewsGroup(props: { readonly kind: string; readonly items: readonly Drift[] }) {
  const { kind, items } = props
  const times = items.reduce((sum, { count }) => sum + count, 0)
  return (
    <li className="py-2">
      <details>
        <summary className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium">{NEWS[kind] ?? kind.toLowerCase().replaceAll('_', ' ')}</span>
          <span className="text-sm text-muted">
            {countText(items.length)}, seen {countText(times)}×
          </span>
        </summary>
        <div className="mt-2">
          <Table
            label={NEWS[kind] ?? kind}
            file={`format-${kind.toLowerCase()}`}
            rows={items}
            first={MOST}
            keyOf={(one) => `${one.kind} ${one.type} ${one.path} ${one.detail ?? ''}`}
            columns={[
              { name: 'Type', value: (one) => one.type, cell: (one) => <Said>{one.type}</Said> },
              {
                name: 'Path',
                value: (one) => one.path,
                cell: (one) => <Said className="font-mono text-xs">{one.path}</Said>,
              },
              { name: 'Times', isFigure: true, value: (one) => one.count, cell: (one) => countText(one.count) },
              { name: 'Versions', isExtra: true, cell: (one) => rangeText(one.versions) },
              { name: 'For example', isExtra: true, cell: (one) => <Where place={one.example} /> },
            ]}
          />
        </div>
      </details>
    </li>
  )
}

/** So many places of a kind are told. */
const MOST = 200

function Places<
  T extends { readonly key: string; readonly file: string; readonly line: number; readonly offset: number },
>(props: { readonly items: readonly T[]; readonly textOf: (item: T) => string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <ul tabIndex={0} aria-label="Where" className="mt-2 max-h-80 space-y-1 overflow-y-auto pl-4 text-sm">
      {props.items.slice(0, MOST).map((item) => (
        <li key={item.key} className="flex flex-wrap gap-x-3">
          <Where place={item} />
          <Said className="min-w-0 flex-1">{props.textOf(item)}</Said>
        </li>
      ))}
      {props.items.length > MOST ? (
        <li className="text-muted">
          and {countText(props.items.length - MOST)} more: <code className="font-mono">annals check --json</code> has
          all
        </li>
      ) : null}
    </ul>
  )
}

/** A place in a log; in that of a session it opens the message. */
function Where(props: { readonly place: { readonly file: string; readonly line: number; readonly offset: number } }) {
  const { place } = props
  const session = /([0-9a-f]{8}-[0-9a-f-]{27}|agent-[\w-]+)\.jsonl$/.exec(place.file)?.[1]
  if (session !== undefined) return <RecordLink place={place} session={session} />
  return (
    <span title={`${place.file}, line ${place.line}`} className="text-muted">
      <Said>{`${folderName(place.file)}:${place.line}`}</Said>
    </span>
  )
}

function rangeText(versions: readonly string[]): string {
  return versions.length < 2 ? (versions[0] ?? '') : `${versions[0]} to ${versions.at(-1)}`
}

function Counts(props: { readonly title: string; readonly counts: Readonly<Record<string, number>> }) {
  const entries = Object.entries(props.counts)
  if (entries.length === 0) return null
  return (
    <Card title={props.title}>
      <Table
        label={props.title}
        rows={entries}
        keyOf={([name]) => name}
        columns={[
          { name: 'Name', value: ([name]) => name, cell: ([name]) => <Said>{name}</Said> },
          { name: 'Count', isFigure: true, value: ([, count]) => count, cell: ([, count]) => countText(count) },
        ]}
      />
    </Card>
  )
}
