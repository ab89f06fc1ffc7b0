import type { Doubt, FileState } from '../../core/tools/file-versions.ts'
import type { TimedTouch } from './timeline.ts'

/** What could not be known of a file at a point, in whole sentences. */
export function saidOf(state: FileState, timeline: readonly TimedTouch[], log: string): string[] {
  const where = (index: number | undefined): string => {
    const touch = index === undefined ? undefined : timeline[index]
    if (!touch) return 'the beginning'
    if (touch.place.file === log) return `line ${touch.place.line}`
    return `line ${touch.place.line} of ${touch.agent === null ? touch.session : `agent-${touch.agent}`}`
  }
  const said = state.doubts.map((doubt) => sentence(doubt, where))
  if (state.confidence === 'none' && said.length === 0) said.push('No record shows what it contained.')
  if (state.confidence === 'recorded') {
    said.push(
      `No later record shows it: what commands, people or programs changed since ${where(state.from ?? undefined)} is not known.`,
    )
  }
  return said
}

function sentence({ code, touches }: Doubt, where: (index: number | undefined) => string): string {
  const [first, second] = touches
  const all = touches.map(where).join(', ')
  switch (code) {
    case 'changed-between':
      return second === undefined
        ? `It held something else at ${where(first)}: what changed it before that is not recorded.`
        : `Something that is not recorded (a command, a person, a rewind) changed it between ${where(first)} and ${where(second)}; when, is not known.`
    case 'found-later':
      return `What it held is known only from ${all}, which came later.`
    case 'edit-misfit':
      return `The edit at ${all} does not fit what is known of the file: what it left is not known.`
    case 'edit-unsure':
      return `The edit at ${all} is recorded in two ways that differ: its lines may be wrong.`
    case 'other-lines':
      return `What was read at ${all} shows other lines than these.`
    case 'not-recorded':
      return `What ${all} wrote is not in the log.`
    case 'copy-gone':
      return `The copy that a checkpoint at ${all} made is gone.`
    case 'commands':
      return `Commands that name the file ran since and may have changed it: ${all}.`
  }
}
