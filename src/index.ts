export type { Diagnostic, DiagnosticCode } from './core/diagnostic.ts'
export { projectKey } from './core/encode.ts'
export type { LogFacts, LogKind } from './core/facts.ts'
export { Failure, type FailureCode } from './core/failure.ts'
export type { ToolItem } from './core/item-content.ts'
export type { Item, Prompt } from './core/items.ts'
export { LogReader, type LogSink, type LogTotals, readLog } from './core/log.ts'
export type { Place } from './core/place.ts'
export type { LogRecord } from './core/record.ts'
export { buildTree, type Tree } from './core/tree.ts'
export { cutTurns, type Turn } from './core/turns.ts'
export { type Response, sumUsage, type UsageRow, type UsageTotal } from './core/usage.ts'
export { UsageFold } from './core/usage-fold.ts'
export { type Conversation, openConversation } from './disk/conversation.ts'
export { advance, type Cursor, type Look, look, lookAll, readCursor, startCursor } from './disk/cursor.ts'
export { type DiskSource, diskSource } from './disk/disk-source.ts'
export type { Agent } from './disk/family.ts'
export { type FollowEvent, type FollowOptions, followLog } from './disk/follow.ts'
export type { AgentFiles, ProjectFiles, SessionFiles } from './disk/inventory.ts'
export { Library, type LibraryOptions } from './disk/library.ts'
export type { KnownFacts } from './disk/log-facts.ts'
export {
  type LogPosition,
  type RecordFilter,
  readBytesAt,
  readLogFile,
  readRecordAt,
  streamRecords,
} from './disk/log-file.ts'
export { fileLibrary } from './disk/one-file.ts'
export { type PageLimit, type RecordPage, readHead, readTail } from './disk/page.ts'
export { describeSession, type SessionFacts } from './disk/session.ts'
export type { Source, SourceEntry } from './disk/source.ts'
export { type Watching, type WatchOptions, watchLogs } from './disk/watch.ts'
export type { Finding } from './redact/finding.ts'
export type { OwnPattern } from './redact/own-pattern.ts'
export { createRedactor, type Redactor, type RedactorOptions } from './redact/redactor.ts'
