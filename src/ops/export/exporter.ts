import type { Redactor } from '../../redact/redactor.ts'
import type { FoundSession } from '../find-session.ts'
import type { Context } from '../op.ts'

/** What a person chose. Each writer takes what concerns it. */
export interface ExportOptions {
  /** Agents stand where they were called, in files of their own beside it, or not at all. */
  readonly agents: 'inline' | 'linked' | 'none'
  readonly thinking: boolean
  /** Tokens that a text for a model may have, by our estimate. */
  readonly budget: number | undefined
  /** Cells that a spreadsheet would run are made harmless. */
  readonly escape: boolean
}

/** An export under way. Whatever a writer takes from a log goes through `mask` before anything is cut or written. */
export interface ExportJob {
  readonly context: Context
  readonly options: ExportOptions
  /** `undefined` only where a person asked for the secrets too. */
  readonly redactor: Redactor | undefined
}

/** A file of an export, by its name inside the export's folder; its content comes in pieces. */
export interface ExportFile {
  readonly name: string
  readonly content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
}

/** One way to write sessions down. */
export interface Exporter {
  readonly extension: string
  /**
   * The files of one session. The first is the session itself, and all there is where one file or standard output was
   * asked for; others (agents, attachments) lie beside it in a folder.
   */
  readonly session?: (session: FoundSession, job: ExportJob) => Iterable<ExportFile> | AsyncIterable<ExportFile>
  /** Files that all sessions together make: tables. */
  readonly table?: (
    sessions: Iterable<FoundSession>,
    job: ExportJob,
  ) => Iterable<ExportFile> | AsyncIterable<ExportFile>
}
