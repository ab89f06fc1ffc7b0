import { isObject, type JsonObject } from '../core/json.ts'
import { pushWarmup } from './agents.ts'
import { pushApiError } from './api-errors.ts'
import { pushBash, pushCommand, pushInterrupt, pushQueued } from './commands.ts'
import { pushCompaction, rewind } from './compaction.ts'
import { generationOf } from './generation.ts'
import { pushNotification } from './notifications.ts'
import { pushPrompt } from './prompts.ts'
import { endTurn, openResponse, settle } from './responses.ts'
import { noteResume } from './resume.ts'
import type { RawPlace, Step } from './steps.ts'
import { addFile, envelope, iso, pushPlain, type Session, type Thread, writeTakenOver } from './thread.ts'
import { runCalls } from './tools.ts'
import { runWorkflow } from './workflows.ts'

/** Turns steps into rows, in order; whatever is still open at the end is closed. */
export function runSteps(thread: Thread, steps: readonly Step[]): void {
  for (const step of steps) {
    if (!JOINS_RESPONSE.has(step.do)) settle(thread)
    runStep(thread, step)
  }
  settle(thread)
}

/** Steps that come while a response is still being written, or that belong to it. */
const JOINS_RESPONSE: ReadonlySet<Step['do']> = new Set(['calls', 'workflow', 'interrupt'])

function runStep(thread: Thread, step: Step): void {
  switch (step.do) {
    case 'user':
      pushPrompt(thread, step.text, step.options)
      break
    case 'assistant':
      openResponse(thread, step.blocks, step.options)
      break
    case 'calls':
      runCalls(thread, step.calls)
      break
    case 'warmup':
      pushWarmup(thread, step.reply)
      break
    case 'workflow':
      runWorkflow(thread, step.spec)
      break
    case 'notification':
      pushNotification(thread, step.options)
      break
    case 'command':
      pushCommand(thread, step.name, step.options)
      break
    case 'bash':
      pushBash(thread, step.input, step.stdout, step.stderr)
      break
    case 'queued':
      pushQueued(thread, step.text)
      break
    case 'interrupt':
      pushInterrupt(thread, step.options)
      break
    case 'compact':
      pushCompaction(thread, step.options)
      break
    case 'rewind':
      rewind(thread, step.to)
      break
    case 'title':
      pushTitle(thread, step.text)
      break
    case 'ai-title':
      pushPlain(thread, { type: 'ai-title', aiTitle: step.text, sessionId: thread.session.sessionId })
      break
    case 'summary':
      pushPlain(thread, { type: 'summary', summary: step.text, leafUuid: step.leafUuid ?? thread.parent })
      break
    case 'api-error':
      pushApiError(thread, step.kind, step.options)
      endTurn(thread)
      break
    case 'cost-state':
      pushCostState(thread, step.fields)
      break
    case 'wait':
      thread.now += step.ms
      break
    case 'cd':
      thread.session.cwd = step.cwd
      thread.session.gitBranch = step.gitBranch ?? thread.session.gitBranch
      break
    case 'upgrade':
      thread.session.generation = generationOf(step.version)
      break
    case 'resume':
      noteResume(thread)
      break
    case 'raw':
      pushRaw(thread, step.row)
      break
    case 'bytes':
      thread.lines.push({ bytes: step.bytes })
  }
}

function pushTitle(thread: Thread, customTitle: string): void {
  const { session } = thread
  const { sessionId, generation } = session
  session.title = customTitle
  pushPlain(thread, { type: 'custom-title', customTitle, sessionId })
  if (generation.agentName) pushPlain(thread, { type: 'agent-name', agentName: customTitle, sessionId })
  if (generation.titleFile) writeTitleFile(session, thread.now)
}

/** The title's own file (2.1.325). */
export function writeTitleFile(session: Session, modifiedAt: number): void {
  const path = `${session.projectDir}/${session.fileId}/custom-title.json`
  addFile(session, path, JSON.stringify({ customTitle: session.title }), modifiedAt)
}

function pushCostState(thread: Thread, fields: JsonObject): void {
  const { session } = thread
  const modelUsage = Object.fromEntries(
    [...session.spent].map(([model, totals]) => {
      const cacheCreationInputTokens =
        totals.cacheCreationEphemeral5mInputTokens + totals.cacheCreationEphemeral1hInputTokens
      return [model, { ...totals, thinkingTokens: 0, cacheCreationInputTokens, costUSD: 0 }]
    }),
  )
  pushPlain(thread, {
    type: 'cost-state',
    sessionId: session.sessionId,
    totalCostUSD: 0,
    totalAPIDuration: 0,
    totalAPIDurationWithoutRetries: 0,
    totalToolDuration: 0,
    totalLinesAdded: 0,
    totalLinesRemoved: 0,
    totalDuration: 0,
    startTime: thread.turnStartedAt,
    modelUsage,
    hasUnknownModelCost: false,
    ...fields,
  })
}

/** Rows with a uuid of their own become the parent of what follows, as in a real log. */
function pushRaw(thread: Thread, given: JsonObject | ((at: RawPlace) => JsonObject)): void {
  const { session } = thread
  const place: RawPlace = {
    parentUuid: thread.parent,
    sessionId: session.sessionId,
    timestamp: iso(thread.now),
    uuid: session.ids.uuid,
    row: (body) => envelope(thread, { body, uuid: session.ids.uuid(), parent: thread.parent }),
  }
  const row = typeof given === 'function' ? given(place) : given
  if (isObject(row) && TREE_TYPES.has(row.type)) writeTakenOver(thread)
  thread.lines.push({ row })
  if (!isObject(row) || typeof row.uuid !== 'string' || !TREE_TYPES.has(row.type)) return
  thread.parents.set(row.uuid, typeof row.parentUuid === 'string' ? row.parentUuid : null)
  thread.parent = row.uuid
}

const TREE_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment', 'progress'])
