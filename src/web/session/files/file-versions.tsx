import { useMemo } from 'react'
import { type OpResult, useOp } from '../../api.ts'
import { Code } from '../../code.tsx'
import { languageOf } from '../../highlight.ts'
import { ErrorBox } from '../../ui/error-box.tsx'
import { FoldButton } from '../../ui/fold-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Time } from '../../ui/time.tsx'
import { bytesText } from '../../ui/words.ts'
import { changeBetween } from '../change.ts'
import { FoldedText } from '../folded-text.tsx'
import { useOpen } from '../open-state.tsx'
import { ChangeCount, DiffView } from '../tools/diff-view.tsx'
import type { AgentItem } from '../types.ts'
import { readable, visible } from '../visible.ts'

type Version = NonNullable<OpResult<'files'>['versions']>[number]
type Agents = ReadonlyMap<string, AgentItem>

/** Who touched a file. */
export function whoText(id: string | null, agents: Agents): string {
  if (id === null) return 'the session'
  const agent = agents.get(id)
  return visible(agent ? `${agent.type ?? 'agent'}: ${agent.description ?? ''}` : `agent ${id}`)
}

/** What a file held, version by version, put together from edits, reads and checkpoints. */
export function FileVersions({ session, path, agents }: { session: string; path: string; agents: Agents }) {
  const { data, error } = useOp('files', { session, path, versions: true })
  if (error) return <ErrorBox error={error} />
  if (!data) return <Loading rows={3} label="Putting the versions together …" />
  const versions = data.versions ?? []
  return (
    <ol className="divide-y divide-line">
      {versions.map((version, at) => (
        <li key={version.number}>
          <VersionLine
            id={`${path} ${version.number}`}
            path={path}
            session={session}
            version={version}
            before={versions[at - 1]}
            agents={agents}
          />
        </li>
      ))}
      {versions.length === 0 && <li className="px-3 py-2 text-sm text-muted">What it held was not written down.</li>}
    </ol>
  )
}

const SOURCES: ReadonlyMap<string, string> = new Map([
  ['write', 'as it was written'],
  ['edit', 'as an edit left it'],
  ['read', 'as it was read'],
  ['checkpoint', 'from a checkpoint'],
  ['found', 'as a later edit found it'],
])

interface LineProps {
  readonly id: string
  readonly path: string
  readonly session: string
  readonly version: Version
  readonly before: Version | undefined
  readonly agents: Agents
}

function VersionLine({ id, path, session, version, before, agents }: LineProps) {
  const [isText, setText] = useOpen(`text:${id}`, false)
  const [isDiff, setDiff] = useOpen(`diff:${id}`, false)
  const isReadable = version.text !== null && !version.base64
  const change = useMemo(() => changeFrom(before, version), [before, version])
  return (
    <div className="text-sm">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-1.5">
        <span className="font-medium">{version.number === 0 ? 'Before the session' : `Version ${version.number}`}</span>
        <span className="text-muted">{stateText(version)}</span>
        {version.number > 0 && <span className="text-muted">by {whoText(version.agent, agents)}</span>}
        {version.at.turn !== null && version.number > 0 && <span className="text-muted">turn {version.at.turn}</span>}
        {version.at.timestamp !== null && <Time iso={version.at.timestamp} as="moment" className="text-muted" />}
        {change && <ChangeCount added={change.added} removed={change.removed} />}
        {version.confidence === 'doubtful' && <span className="text-warn">may not be exact</span>}
        <span className="flex flex-wrap gap-x-3 whitespace-nowrap max-sm:w-full sm:ml-auto">
          {change && (
            <FoldButton isOpen={isDiff} onToggle={() => setDiff(!isDiff)}>
              What changed
            </FoldButton>
          )}
          {isReadable && (
            <FoldButton isOpen={isText} onToggle={() => setText(!isText)}>
              The whole file
            </FoldButton>
          )}
          {version.toolUseId !== null && (
            <a href={addressOf(session, version, version.toolUseId)} className="text-accent underline">
              In the conversation
            </a>
          )}
        </span>
        {version.unknown.map((sentence) => (
          <span key={sentence} className="w-full text-xs text-muted">
            {visible(sentence)}
          </span>
        ))}
      </div>
      {isDiff && change && (
        <div className="border-t border-line">
          <DiffView id={`${id} diff`} change={change} path={path} />
        </div>
      )}
      {isText && isReadable && (
        <div className="border-t border-line p-2">
          <FoldedText id={`${id} text`} text={version.text ?? ''}>
            {(shown) => (
              <Code text={readable(shown.replace(/\n$/, ''))} language={languageOf(path)} firstLine={1} label={path} />
            )}
          </FoldedText>
        </div>
      )}
    </div>
  )
}

/** What makes the version before into this one, where both are known. */
function changeFrom(before: Version | undefined, version: Version) {
  if (!before || version.base64 || before.base64) return undefined
  const texts = [before, version].map(({ text, exists }) => (exists === false ? '' : text))
  const [old, now] = texts
  return typeof old === 'string' && typeof now === 'string' ? changeBetween(old, now) : undefined
}

function stateText({ exists, text, base64, source }: Version): string {
  if (exists === false) return 'there was no such file'
  if (text === null) return 'not known'
  const size = bytesText(base64 ? Math.floor((text.length * 3) / 4) : new TextEncoder().encode(text).length)
  return [SOURCES.get(source ?? '') ?? '', base64 ? `${size}, not a text` : size]
    .filter((word) => word !== '')
    .join(', ')
}

function addressOf(session: string, { agent }: Version, toolUseId: string): string {
  const reader = agent === null ? session : `agent-${agent}`
  return `/s/${encodeURIComponent(reader)}?at=${encodeURIComponent(toolUseId)}`
}
