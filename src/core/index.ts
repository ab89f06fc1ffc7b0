export { keyMatches, projectKey } from './encode.ts'
export type { AgentCall, AgentReport } from './facts/agent-calls.ts'
export type { AgentClass, CallRule } from './facts/agent-link.ts'
export { FactsFold, type LogFacts, type LogKind, logKind } from './facts/facts.ts'
export { type Title, type TitleFrom, titleOf } from './facts/title.ts'
export { Failure, type FailureCode } from './failure.ts'
export {
  arrayAt,
  booleanAt,
  fieldAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  textAt,
} from './json.ts'
export { blocksOf, humanText, textOf, toolResultsOf, toolUsesOf } from './log/content.ts'
export type { Diagnostic, DiagnosticCode, Read } from './log/diagnostic.ts'
export { DriftFold, type DriftItem, type DriftKind } from './log/drift.ts'
export { type Line, LineSplitter, MAX_LINE_BYTES, type RunningHash, type SplitOptions } from './log/lines.ts'
export { type LogContents, LogReader, type LogSink, type LogTotals, readLog } from './log/log.ts'
export type { Place } from './log/place.ts'
export { type KnownRecord, type LogRecord, type OversizeRecord, readLine, type UnknownRecord } from './log/record.ts'
export { type CommandRow, type RowKind, rowKind, type TreeType } from './log/row-kind.ts'
export { NEWEST_TESTED } from './log/version.ts'
export { meaningOf } from './tools/meaning-of.ts'
export { type Ending, type Hunk, outcomeOf, resultText, type ToolCall, type ToolOutcome } from './tools/tool-call.ts'
export type { ToolDetails } from './tools/tool-details.ts'
export { diffOf, type FileDiff } from './tools/tool-diff.ts'
export type { ToolMeaning } from './tools/tool-meaning.ts'
export { type ToolWords, toolWords } from './tools/tool-words.ts'
export type {
  AttachmentItem,
  AutomatedItem,
  BashItem,
  CommandItem,
  CompactionItem,
  ErrorItem,
  InterruptItem,
  ItemContent,
  NotificationItem,
  SystemItem,
  TextItem,
  ThinkingItem,
  ToolItem,
} from './tree/item-schema.ts'
export { notificationText, typedText } from './tree/item-text.ts'
export { type Item, itemsOf, type Prompt, promptOf, type Rows } from './tree/items.ts'
export { nodeOf, type TreeNode } from './tree/node.ts'
export { type Branch, buildTree, type Sidechain, type Tree, type TreeOptions } from './tree/tree.ts'
export { type Counts, countRows, cutTurns, type Turn } from './tree/turns.ts'
export {
  type CountedResponse,
  sumUsage,
  type Tokens,
  type UsageRow,
  type UsageTotal,
  usageRowOf,
} from './usage/usage.ts'
export { UsageFold } from './usage/usage-fold.ts'
