import { compareVersions } from './generation.ts'
import { addLines } from './joined-lines.ts'
import { addFile, type Thread } from './thread.ts'

/**
 * A session taken up again in the same file. Some versions leave a file behind for the id they did not use: 1.0.128
 * one with a summary, 2.0.37 to 2.1.4 an empty one.
 */
export function noteResume(thread: Thread): void {
  const { session } = thread
  const { generation, ids } = session
  thread.now += 3_600_000
  if (compareVersions(generation.version, '1.0.128') < 0) return
  const path = `${session.projectDir}/${ids.uuid()}.jsonl`
  if (generation.emptyFileOnResume) addFile(session, path, '', thread.now)
  if (compareVersions(generation.version, '2.0.0') >= 0) return
  const summary = thread.prompts.at(0)?.text.slice(0, 60) ?? 'Earlier work'
  addLines(session, path, [{ row: { type: 'summary', summary, leafUuid: thread.parent } }], thread.now)
}
