import { TOKEN_KEYS } from '../../core/usage/usage.ts'
import type { TeamDocument, TeamRow } from '../row.ts'
import type { Machine } from '../sink.ts'

/** Values as OTLP has them in JSON: whole numbers are texts. */
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } }

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

/** Pairs of names and values; those without a value are left out. */
export function attributes(values: Readonly<Record<string, unknown>>): readonly KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const made = anyValue(value)
    return made ? [{ key, value: made }] : []
  })
}

function anyValue(value: unknown): AnyValue | undefined {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return { intValue: String(value) }
  if (typeof value === 'boolean') return { boolValue: value }
  if (!Array.isArray(value) || value.length === 0) return undefined
  return { arrayValue: { values: value.flatMap((one) => anyValue(one) ?? []) } }
}

export function nanos(ms: number): string {
  return `${BigInt(Math.round(ms)) * 1_000_000n}`
}

export function resourceOf(machine: Machine): object {
  return {
    attributes: attributes({
      'service.name': 'claude-code',
      'service.instance.id': machine.id,
      'host.name': machine.name ?? undefined,
      'user.id': machine.user ?? undefined,
    }),
  }
}

export const SCOPE = { name: 'annals' }

/** Rows and documents as a request for `/v1/logs`. Each has its key: one that comes again can be told by it. */
export function logsOf(
  machine: Machine,
  rows: readonly TeamRow[],
  documents: readonly TeamDocument[],
  now: number,
): object {
  const logRecords = [...rows.map((row) => logOf(row, now)), ...documents.map((document) => documentLog(document, now))]
  return { resourceLogs: [{ resource: resourceOf(machine), scopeLogs: [{ scope: SCOPE, logRecords }] }] }
}

function logOf(row: TeamRow, now: number): object {
  const { timestamp, isError } = row
  return {
    // Zero says that it is not known.
    timeUnixNano: timestamp === null ? '0' : nanos(Math.max(0, Date.parse(timestamp))),
    observedTimeUnixNano: nanos(now),
    severityNumber: isError ? 17 : 9,
    severityText: isError ? 'ERROR' : 'INFO',
    eventName: `claude_code.${row.type}`,
    body: { stringValue: text(row.content) },
    attributes: attributes({ ...keyOf(row), ...genAi(row), ...own(row) }),
  }
}

function documentLog(
  { machine, file, kind, modifiedAt, content, contentHash, project, session }: TeamDocument,
  now: number,
) {
  return {
    timeUnixNano: nanos(Math.max(0, Date.parse(modifiedAt))),
    observedTimeUnixNano: nanos(now),
    severityNumber: 9,
    severityText: 'INFO',
    eventName: 'claude_code.document',
    body: { stringValue: text(content) },
    attributes: attributes({
      'annals.key': `${machine} ${file} ${contentHash}`,
      'annals.machine': machine,
      'annals.file': file,
      'annals.kind': kind,
      'annals.project': project,
      'gen_ai.conversation.id': session,
    }),
  }
}

function keyOf({ machine, file, generation, offset }: TeamRow) {
  return {
    'annals.key': `${machine} ${file} ${generation} ${offset}`,
    'annals.machine': machine,
    'annals.file': file,
    'annals.generation': generation,
    'annals.offset': offset,
  }
}

/** What the conventions have a name for. */
function genAi({ session, agent, messageId, model, tokens, tools, kind }: TeamRow) {
  const isResponse = kind === 'response'
  const calls = tools.filter(({ isResult }) => !isResult)
  return {
    'gen_ai.conversation.id': session,
    'gen_ai.agent.id': agent,
    'gen_ai.operation.name': isResponse ? 'chat' : undefined,
    'gen_ai.provider.name': isResponse ? 'anthropic' : undefined,
    'gen_ai.response.id': messageId,
    'gen_ai.response.model': model,
    // By the conventions those of the cache are among them.
    'gen_ai.usage.input_tokens': tokens && inputOf(tokens),
    'gen_ai.usage.output_tokens': tokens?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': tokens?.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': tokens && tokens.cacheWrite5mTokens + tokens.cacheWrite1hTokens,
    'gen_ai.tool.name': calls.length === 1 ? calls[0]?.name : undefined,
    'gen_ai.tool.call.id': tools.length === 1 ? tools[0]?.id : undefined,
    'annals.tools': calls.length > 1 ? calls.map(({ name }) => name ?? '') : undefined,
  }
}

/** All tokens that went in, those of the cache too. */
export function inputOf(tokens: NonNullable<TeamRow['tokens']>): number {
  const [input, read, short, long] = [
    tokens.inputTokens,
    tokens.cacheReadTokens,
    tokens.cacheWrite5mTokens,
    tokens.cacheWrite1hTokens,
  ]
  return input + read + short + long
}

/** What they have none for. */
function own(row: TeamRow) {
  const counts = TOKEN_KEYS.map((key) => [`annals.tokens.${key}`, row.tokens?.[key]])
  return {
    ...Object.fromEntries(counts),
    'annals.type': row.type,
    'annals.kind': row.kind,
    'annals.role': row.role,
    'annals.project': row.project,
    'annals.uuid': row.uuid,
    'annals.parent_uuid': row.parentUuid,
    'annals.request_id': row.requestId,
    'annals.content_hash': row.contentHash,
    'annals.client_version': row.version,
    'vcs.ref.head.name': row.gitBranch,
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}
