import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { TOKEN_BYTES } from '../core/usage/token-bytes.ts'
import type { Plan } from './plan.ts'
import { pruneLog } from './prune-log.ts'
import { folderOfLog } from './rename.ts'
import { bytesFrom, mustSee } from './seen.ts'
import { type SessionFamily, walk } from './session-files.ts'
import { type RemoveStep, rewrite, type Step } from './step.ts'

/** What is pruned. */
export interface PruneOptions {
  /** Results of tools that are longer are taken out. */
  readonly overBytes: number
  /** Whether the client would send the row that begins at an offset of the session's log when it goes on. */
  readonly isSent: (session: SessionFamily, offset: number) => boolean
  /** Also logs that hold lines which cannot be read: these stay as they are. */
  readonly force?: boolean
}

/** Takes long results and pictures out of sessions; placeholders stand in their places, so that the logs can be gone on with. */
export function planPrune(sessions: readonly SessionFamily[], options: PruneOptions): Plan {
  const steps: Step[] = []
  const sum = { results: 0, images: 0, savedBytes: 0, sentBytes: 0, sentImages: 0 }
  for (const session of sessions) {
    for (const path of logsOf(session)) {
      const isMain = path === session.log
      const pruned = pruneLog(
        bytesFrom(path, 0),
        options.overBytes,
        (offset) => isMain && options.isSent(session, offset),
      )
      if (pruned.damaged > 0 && !options.force) throw damaged(path, pruned.damaged)
      if (pruned.rows === 0) continue
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += pruned[key]
      // The content is made when it is needed: many long logs may be pruned at once.
      const content = () => pruneLog(bytesFrom(path, 0), options.overBytes, () => false).bytes
      steps.push(rewrite(mustSee(path), content, pruned.rows))
    }
    if (steps.some(({ path }) => path === session.log)) steps.push(...withoutHead(session))
  }
  const tokens = Math.round(sum.sentBytes / TOKEN_BYTES) + sum.sentImages * IMAGE_TOKENS
  const what = `${count(sum.results, 'tool result')} and ${count(sum.images, 'image')}`
  return {
    name: 'prune',
    summary: sessions.length === 1 ? `prune ${what}` : `prune ${what} of ${sessions.length} sessions`,
    sessions,
    steps,
    expect: [
      `${sum.savedBytes.toLocaleString('en-US')} bytes less on disk; the next resume sends about ${tokens.toLocaleString('en-US')} tokens less.`,
      'The model sees a placeholder where each of them was, and may read the files again.',
    ],
    left: ['Edits and what they changed stay: files can still be put back from them.'],
  }
}

/** About what a picture of the usual size takes. */
const IMAGE_TOKENS = 1_500

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`
}

function logsOf(session: SessionFamily): readonly string[] {
  const agents = walk(join(folderOfLog(session.log), 'subagents')).files.filter((path) =>
    /agent-[^/]*\.jsonl$/.test(path),
  )
  return [session.log, ...agents, ...session.flatAgents.filter((path) => path.endsWith('.jsonl'))].filter(existsSync)
}

/** What the client made of the log to open it sooner still holds what is taken out; it makes it again. */
function withoutHead({ log }: SessionFamily): readonly RemoveStep[] {
  const path = join(folderOfLog(log), 'resume-head.jsonl')
  const isThere = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  return isThere ? [{ action: 'remove', path, before: mustSee(path) }] : []
}

function damaged(path: string, lines: number): Failure {
  const hint = '`annals check` shows them. --force prunes the others and leaves these as they are.'
  const which = lines === 1 ? 'A line' : `${lines} lines`
  return new Failure('CANNOT_RUN', `${which} of ${path} cannot be read, so nothing was pruned.`, { hint })
}
