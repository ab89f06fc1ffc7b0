import { isObject, type JsonObject, objectsAt, stringAt } from '../core/json.ts'
import { addLines } from './joined-lines.ts'
import type { RecordedAgent } from './steps.ts'
import { addFile, iso, type Line, newThread, pushTree, type Session, type Thread, type ThreadAgent } from './thread.ts'
import type { CallResult, PreparedCall } from './tools.ts'

/** A finished agent: what it said last and what it took. */
export interface RanAgent {
  readonly thread: Thread
  readonly report: string
  readonly startedAt: number
  readonly tokens: number
  readonly toolUses: number
}

/** A call that starts a subagent: its log is written where the version keeps agents. */
export function prepareAgent(thread: Thread, spec: RecordedAgent): PreparedCall {
  const { session } = thread
  const { generation } = session
  const toolUseId = session.ids.toolUseId()
  const agent = { id: agentId(session), type: spec.type, depth: (thread.agent?.depth ?? 0) + 1 }
  return {
    id: toolUseId,
    name: generation.agentTool,
    input: {
      description: spec.description,
      prompt: spec.prompt,
      subagent_type: spec.type,
      ...(spec.background && { run_in_background: true }),
    },
    settle: () => {
      if (generation.agentPlace === 'inline') {
        const inline = { type: spec.type, depth: agent.depth, id: undefined }
        return finish(thread, spec, runAgent(thread, inline, spec, thread.now, thread.lines), undefined)
      }
      const lines: Line[] = []
      const ran = runAgent(thread, agent, spec, thread.now, lines)
      const stem = `${agentDir(session)}/agent-${agent.id}`
      const facts = { ...(thread.agent?.id !== undefined && { parentAgentId: thread.agent.id }) }
      addLines(session, `${stem}.jsonl`, lines, ran.thread.now)
      writeMeta(session, stem, spec, agent, { toolUseId, ...facts }, ran.thread.now)
      pushProgress(thread, spec, agent.id, toolUseId)
      return finish(thread, spec, ran, { id: agent.id, toolUseId })
    },
  }
}

/** Plays an agent's steps in a thread of its own. */
export function runAgent(
  parent: Thread,
  agent: ThreadAgent,
  spec: RecordedAgent,
  now: number,
  lines: Line[],
): RanAgent {
  const { session } = parent
  const first = lines.length
  const thread = newThread(session, now, lines, agent)
  thread.promptId = parent.promptId
  const { steps, result, error } = spec
  const options = spec.model === undefined ? {} : { model: spec.model }
  const says = (text: string) => ({ do: 'assistant' as const, blocks: [{ type: 'text', text }], options })
  const last = result !== undefined ? [says(result)] : steps.length === 0 && error === undefined ? [says('Done.')] : []
  session.run(thread, [{ do: 'user', text: spec.prompt, options: { source: 'sdk' } }, ...steps, ...last])
  const own = lines.slice(first).flatMap((line) => ('row' in line ? [line.row] : []))
  const blocks = own.filter((row) => row.type === 'assistant').flatMap((row) => objectsAt(row.message, 'content'))
  const texts = blocks.flatMap((block) => stringAt(block, 'text') ?? [])
  return {
    thread,
    report: result ?? texts.at(-1) ?? '',
    startedAt: now,
    tokens: thread.contextTokens,
    toolUses: blocks.filter((block) => block.type === 'tool_use').length,
  }
}

/** The small agents that 2.0.37 to 2.1.4 started for themselves. */
export function pushWarmup(thread: Thread, reply: string): void {
  const { session } = thread
  const id = agentId(session)
  const lines: Line[] = []
  const spec = { type: 'general-purpose', description: 'Warmup', prompt: 'Warmup', steps: [], background: false }
  const ran = runAgent(
    thread,
    { id, type: 'general-purpose', depth: 1 },
    { ...spec, result: reply, error: undefined, model: undefined },
    thread.now,
    lines,
  )
  addLines(session, `${agentDir(session)}/agent-${id}.jsonl`, lines, ran.thread.now)
}

/** A new agent id, in the form of the version. */
export function agentId(session: Session): string {
  const { agentIdForm } = session.generation
  return agentIdForm === 'hex8' ? session.ids.hex(8) : `a${session.ids.hex(agentIdForm === 'a6' ? 6 : 16)}`
}

function agentDir(session: Session): string {
  return session.generation.agentPlace === 'folder'
    ? `${session.projectDir}/${session.fileId}/subagents`
    : session.projectDir
}

const BUILT_IN = new Set(['general-purpose', 'Explore', 'Plan', 'claude', 'workflow-subagent'])

/** The file beside an agent's log, which said more with every version. */
export function writeMeta(
  session: Session,
  stem: string,
  spec: RecordedAgent,
  agent: ThreadAgent,
  facts: JsonObject,
  modifiedAt: number,
): void {
  const { agentMeta, model } = session.generation
  if (agentMeta === 'none') return
  const { toolUseId, ...others } = facts
  const meta = {
    agentType: spec.type,
    ...(agentMeta === 'full' && BUILT_IN.has(spec.type) && { isBuiltIn: true }),
    description: spec.description,
    ...(agentMeta !== 'description' && toolUseId !== undefined && { toolUseId }),
    ...(agentMeta === 'full' && others),
    ...((agentMeta === 'depth' || agentMeta === 'full') && { spawnDepth: agent.depth }),
    ...(agentMeta === 'full' && {
      requestShape: spec.background ? 'background' : 'foreground',
      requestNonInteractive: true,
      pickedEffortModel: spec.model ?? model,
      ...(spec.error === undefined && { finished: true }),
    }),
  }
  addFile(session, `${stem}.meta.json`, JSON.stringify(meta), modifiedAt)
}

function finish(
  thread: Thread,
  spec: RecordedAgent,
  ran: RanAgent,
  link: { readonly id: string; readonly toolUseId: string } | undefined,
): CallResult {
  const durationMs = ran.thread.now - ran.startedAt
  if (spec.background && link !== undefined) return launch(thread, spec, ran, link)
  if (spec.error !== undefined) {
    return { content: spec.error, isError: true, toolUseResult: `Error: ${spec.error}`, durationMs }
  }
  const { generation } = thread.session
  const content = [{ type: 'text', text: ran.report }]
  const hint = `agentId: ${link?.id} (for resuming to continue this agent's work if needed)`
  const lastUsage = ran.thread.lines
    .flatMap((line) => ('row' in line && isObject(line.row.message) ? [line.row.message.usage] : []))
    .filter(isObject)
    .at(-1)
  return {
    content: generation.resultsHangOnCalls && link !== undefined ? [...content, { type: 'text', text: hint }] : content,
    toolUseResult: {
      ...(link !== undefined && { status: 'completed', prompt: spec.prompt, agentId: link.id }),
      ...(generation.agentResultsTyped && { agentType: spec.type }),
      content,
      totalDurationMs: durationMs,
      totalTokens: ran.tokens,
      totalToolUseCount: ran.toolUses,
      usage: lastUsage ?? null,
    },
    durationMs,
  }
}

function launch(
  thread: Thread,
  spec: RecordedAgent,
  ran: RanAgent,
  link: { readonly id: string; readonly toolUseId: string },
): CallResult {
  const { session } = thread
  const { generation } = session
  const key = session.projectDir.slice(session.projectDir.lastIndexOf('/') + 1)
  const outputFile = `/tmp/claude-1000/${key}/${session.fileId}/tasks/${link.id}.output`
  session.launched.set(spec.description, {
    ...link,
    description: spec.description,
    result: ran.report,
    startedAt: ran.startedAt,
    endedAt: ran.thread.now,
    tokens: ran.tokens,
    toolUses: ran.toolUses,
    outputFile,
  })
  return {
    content: [
      { type: 'text', text: `Async agent launched successfully.\nagentId: ${link.id}\noutput_file: ${outputFile}` },
    ],
    toolUseResult: {
      isAsync: true,
      status: 'async_launched',
      agentId: link.id,
      description: spec.description,
      ...(generation.promptSource && { resolvedModel: spec.model ?? generation.model }),
      prompt: spec.prompt,
      outputFile,
      ...(generation.promptSource && { canReadOutputFile: true }),
    },
  }
}

/** While an agent worked, 2.1.20 to 2.1.68 repeated its rows in the main log. */
function pushProgress(thread: Thread, spec: RecordedAgent, id: string, toolUseId: string): void {
  if (!thread.session.generation.agentProgress) return
  const content = [{ type: 'text', text: spec.prompt }]
  const message = { type: 'user', message: { role: 'user', content }, timestamp: iso(thread.now) }
  pushTree(thread, {
    body: {
      type: 'progress',
      data: { message, normalizedMessages: [], type: 'agent_progress', prompt: spec.prompt, agentId: id },
      toolUseID: `agent_${thread.session.ids.messageId()}`,
      parentToolUseID: toolUseId,
    },
  })
}
