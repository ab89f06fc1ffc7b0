import type { Context } from '../history/context.ts'
import { openRecordedFiles } from '../history/files/all-touches.ts'
import { blameFile } from '../history/files/blame.ts'
import { whichFile } from '../history/files/which-file.ts'

/** The call that wrote a line, and the prompt that it was made for. */
export interface BlamedCall {
  readonly session: string
  readonly agent: string | null
  /** `null` on a branch that was abandoned. */
  readonly turn: number | null
  /** The row that made the call. */
  readonly uuid: string | null
  readonly toolUseId: string
  readonly tool: string
  readonly model: string | null
  readonly timestamp: string | null
  /** Its first words. */
  readonly prompt: string | null
}

/** A line of a file, and where it comes from. */
export interface BlamedLine {
  readonly line: number
  readonly text: string
  /** `proven`, `outside`, `before` or `unknown`. */
  readonly rule: string
  readonly call: BlamedCall | null
  /** The two times between which something that is not recorded wrote it. */
  readonly outside: { readonly after: string | null; readonly before: string | null } | null
}

/** A file line by line. */
export interface FileBlame {
  readonly path: string
  /** False where there is no such file now: then it is told as last recorded. */
  readonly onDisk: boolean
  readonly lines: readonly BlamedLine[]
}

/** Blames a file as it is on the disk. */
export async function blameOf(context: Context, file: string): Promise<FileBlame> {
  const files = await openRecordedFiles(context)
  const { path, isOnDisk, lines } = await blameFile(context, files, whichFile(context, file, files.paths))
  return { path, onDisk: isOnDisk, lines }
}
