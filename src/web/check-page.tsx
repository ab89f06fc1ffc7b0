import { useState } from 'react'
import { numberAt, stringAt } from '../core/json.ts'
import { type OpResult, useOp } from './api.ts'
import { useEvents } from './events.ts'
import { folderName } from './session-words.ts'
import { Button } from './ui/button.tsx'
import { Card } from './ui/card.tsx'
import { Tag } from './ui/chip.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { Loading } from './ui/loading.tsx'
import { Page } from './ui/page.tsx'
import { Table } from './ui/table.tsx'
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
          {isFetching ? <Progress /> : null}
          {!data && isFetching ? <Loading rows={4} label="Reading every log …" /> : null}
        </Card>
        {data ? <Findings report={data} /> : null}
      </div>
    </Page>
  )
}

/** How far the reading has come, as the server tells it. */
function Progress() {
  const [part, setPart] = useState(0)
  useEvents(
    {},
    {
      progress: (data) => {
        const total = numberAt(data, 'totalBytes') ?? 0
        if (stringAt(data, 'op') === 'check' && total > 0) setPart((numberAt(data, 'doneBytes') ?? 0) / total)
      },
    },
  )
  return <progress aria-label="How much was read" value={part} className="mb-3 block h-1.5 w-full accent-accent" />
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
          <li key={`${check.name} ${check.detail}`} className="flex gap-2">
            <span
              aria-hidden="true"
              className={`w-3.5 shrink-0 text-center ${check.note ? 'text-muted' : check.ok ? 'text-live' : 'text-warn'}`}
            >
              {check.note ? '·' : check.ok ? '✓' : '!'}
            </span>
            <span className="min-w-0">
              {check.ok ? null : <span className="sr-only">Needs a look: </span>}
              {check.detail}
              {check.fix !== null ? <span className="block text-muted">{check.fix}</span> : null}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Summary(props: { readonly report: Report }) {
  const { summary, drift } = props.report
  const owned = summary.recordBytes + summary.diagnosticBytes + summary.separatorBytes + summary.pendingBytes
  return (
    <ul className="space-y-1 text-sm">
      <li>
        {plural(summary.files, 'log')}, {bytesText(summary.bytes)}, {plural(summary.records, 'record')}.
      </li>
      <li>
        {owned === summary.bytes
          ? 'Every byte is accounted for.'
          : `${countText(Math.abs(summary.bytes - owned))} bytes are not accounted for: please report this.`}
      </li>
      <li>
        {summary.diagnostics === 0
          ? 'Nothing odd was found.'
          : `${plural(summary.diagnostics, 'oddity', 'oddities')}, listed below.`}
      </li>
      <li>
        {drift.length === 0
          ? 'Nothing in the format is new.'
          : `${plural(drift.length, 'thing')} in the format not known yet, listed below.`}
      </li>
      {summary.pendingBytes > 0 ? (
        <li>{bytesText(summary.pendingBytes)} of last lines are still being written.</li>
      ) : null}
    </ul>
  )
}

const MOST = 300

function Findings(props: { readonly report: Report }) {
  const { diagnostics, drift, versions, types, others } = props.report
  return (
    <>
      {diagnostics.length > 0 ? (
        <Card title="Oddities" aside={<Shown count={diagnostics.length} />}>
          <Table
            label="Oddities"
            rows={diagnostics.slice(0, MOST)}
            keyOf={(one) => `${one.file} ${one.offset} ${one.code} ${one.length}`}
            columns={[
              { name: 'What', cell: (one) => <Tag tone={one.salvaged ? 'plain' : 'warn'}>{one.code}</Tag> },
              { name: 'Said', cell: (one) => <span className="inline-block min-w-40">{one.message}</span> },
              { name: 'Where', cell: (one) => <Where place={one} /> },
            ]}
          />
        </Card>
      ) : null}
      {drift.length > 0 ? (
        <Card title="New in the format" aside={<Shown count={drift.length} />}>
          <Table
            label="New in the format"
            rows={drift.slice(0, MOST)}
            keyOf={(one) => `${one.kind} ${one.type} ${one.path}`}
            columns={[
              { name: 'Kind', cell: (one) => <Tag>{one.kind.toLowerCase().replace('_', ' ')}</Tag> },
              { name: 'Type', cell: (one) => one.type },
              { name: 'Path', cell: (one) => <span className="font-mono text-xs">{one.path}</span> },
              { name: 'Times', isFigure: true, cell: (one) => countText(one.count) },
              { name: 'Versions', isExtra: true, cell: (one) => rangeText(one.versions) },
              { name: 'For example', isExtra: true, cell: (one) => <Where place={one.example} /> },
            ]}
          />
        </Card>
      ) : null}
      <div className="grid gap-4 md:grid-cols-2">
        <Counts title="Types of records" counts={types} />
        <Counts title="Client versions" counts={versions} />
      </div>
      <Counts
        title="Beside the logs"
        counts={Object.fromEntries(Object.entries(others).map(([name, { files }]) => [name, files]))}
      />
    </>
  )
}

function Shown(props: { readonly count: number }) {
  return (
    <span className="text-sm text-muted">
      {props.count > MOST ? `the first ${MOST} of ${countText(props.count)}` : countText(props.count)}
    </span>
  )
}

function Where(props: { readonly place: { readonly file: string; readonly line: number } }) {
  const { file, line } = props.place
  return (
    <span
      title={`${file}, line ${line}`}
      className="inline-block min-w-32 text-muted [overflow-wrap:anywhere] [unicode-bidi:isolate]"
    >
      {folderName(file)}:{line}
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
          { name: 'Name', cell: ([name]) => name },
          { name: 'Count', isFigure: true, cell: ([, count]) => countText(count) },
        ]}
      />
    </Card>
  )
}
