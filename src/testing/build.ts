import { projectKey } from '../core/encode.ts'
import { generationOf } from './generation.ts'
import { idSource } from './ids.ts'
import { takeOver } from './operations.ts'
import { todoPath } from './plans.ts'
import { runSteps } from './render.ts'
import type { Step } from './steps.ts'
import { addFile, newThread, type Session, type Thread, writeTakenOver } from './thread.ts'

/** All that a log is made from: plain data. */
export interface LogPlan {
  readonly seed: string
  readonly fileId: string
  readonly version: string
  readonly cwd: string
  readonly gitBranch: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly entrypoint: string
  readonly permissionMode: string
  readonly attachments: boolean
  readonly requests: boolean
  readonly configDir: string
  readonly steps: readonly Step[]
  readonly origin: Origin | undefined
}

/** The session from which another was made, as it was then. */
export interface Origin {
  readonly kind: 'resumed' | 'continued' | 'forked' | 'branched' | 'sdk-forked'
  readonly plan: LogPlan
  readonly title: string | undefined
  readonly version: string | undefined
  readonly startedAt: number | undefined
}

/** A log in memory: its rows and the files around it. */
export interface BuiltLog {
  readonly session: Session
  readonly thread: Thread
  /** The path of the log in the root. */
  readonly path: string
}

/** Builds a log from its plan; the same plan gives the same log. */
export function buildLog(plan: LogPlan): BuiltLog {
  const { origin } = plan
  const before = origin === undefined ? undefined : buildLog(origin.plan)
  const projectDir = `projects/${projectKey(plan.cwd)}`
  const session: Session = {
    fileId: plan.fileId,
    sessionId: origin?.kind === 'continued' && before !== undefined ? before.session.sessionId : plan.fileId,
    processId: origin?.kind === 'branched' && before !== undefined ? before.session.processId : plan.fileId,
    projectDir,
    configDir: plan.configDir,
    entrypoint: plan.entrypoint,
    permissionMode: plan.permissionMode,
    attachments: plan.attachments,
    requests: plan.requests,
    ids: idSource(plan.seed),
    files: new Map(),
    launched: new Map(),
    spent: new Map(),
    generation: generationOf(origin?.version ?? before?.session.generation.version ?? plan.version),
    cwd: before?.session.cwd ?? plan.cwd,
    gitBranch: before?.session.gitBranch ?? plan.gitBranch,
    slug: undefined,
    title: undefined,
    run: runSteps,
  }
  const startedAt = origin?.startedAt ?? (before === undefined ? plan.startedAt : before.thread.now + 3_600_000)
  const thread = newThread(session, startedAt, [])
  if (session.generation.todoFile !== 'when-used') addFile(session, todoPath(session, undefined), '[]', startedAt)
  if (origin !== undefined && before !== undefined) takeOver(thread, before.thread, origin)
  runSteps(thread, plan.steps)
  writeTakenOver(thread)
  return { session, thread, path: `${projectDir}/${plan.fileId}.jsonl` }
}
