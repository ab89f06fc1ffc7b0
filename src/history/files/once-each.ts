import type { FileCall } from '../../index/queries/file-calls.ts'

/**
 * Each call once, whatever logs have it: where forks, resumes and copies repeat it, as the log has it that made it; before that, one
 * that has its answer.
 */
export function onceEach(calls: readonly FileCall[]): readonly FileCall[] {
  const known = new Map<string, FileCall>()
  for (const call of calls) {
    const key = call.id.startsWith(':') ? `${call.log.id}${call.id}` : call.id
    const other = known.get(key)
    if (!other || rank(call) > rank(other)) known.set(key, call)
  }
  return [...known.values()]
}

function rank({ answer, isOwner }: FileCall): number {
  return (answer ? 2 : 0) + (isOwner ? 1 : 0)
}
