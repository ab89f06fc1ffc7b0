import type { Context } from '../history/context.ts'
import type { FoundSession } from '../history/find.ts'
import type { SessionItem } from '../history/view/session-item.ts'
import type { Redactor } from '../redact/redactor.ts'

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
  /** Names of files that were given out, in lower case. */
  readonly names: Set<string>
  /** The folder that it goes to, where that is one and there already: for writers that bring it up to date. */
  readonly folder?: string | undefined
}

/** A file of an export, by its name inside the export's folder; its content comes in pieces. */
export interface ExportFile {
  readonly name: string
  readonly content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
  /** It is what the folder had, brought up to date: it takes that one's place without being forced. */
  readonly replaces?: boolean
  /** It is there already, byte for byte, and is left as it is. */
  readonly isUnchanged?: boolean
  /** How many steps are new in it. */
  readonly added?: number
  /** What the index page says of the session that it holds, without secrets. */
  readonly item?: SessionItem
}

/** A session of a folder export, for the page that leads to all of them. */
export interface ExportedSession {
  /** The name of its file. */
  readonly name: string
  /** What a list says of it, without secrets. */
  readonly item: SessionItem
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
  /** The page that leads to the sessions of a folder. */
  readonly index?: (sessions: readonly ExportedSession[], job: ExportJob) => ExportFile
}
