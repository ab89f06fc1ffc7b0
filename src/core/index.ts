export type { AgentCall, AgentReport } from './agent-calls.ts'
export type { AgentClass, CallRule } from './agent-link.ts'
export { blocksOf, humanText, textOf, toolResultsOf, toolUsesOf } from './content.ts'
export type { Diagnostic, DiagnosticCode, Read } from './diagnostic.ts'
export { DriftFold, type DriftItem, type DriftKind } from './drift.ts'
export { keyMatches, projectKey } from './encode.ts'
export { FactsFold, type LogFacts, type LogKind, logKind } from './facts.ts'
export { Failure, type FailureCode } from './failure.ts'
export {
  type AttachmentItem,
  type AutomatedItem,
  type BashItem,
  type CommandItem,
  type CompactionItem,
  type ErrorItem,
  type InterruptItem,
  type ItemContent,
  type NotificationItem,
  notificationText,
  type SystemItem,
  type TextItem,
  type ThinkingItem,
  type ToolItem,
  typedText,
} from './item-content.ts'
export { type Item, itemsOf, type Prompt, promptOf, type Rows } from './items.ts'
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
export { type Line, LineSplitter, MAX_LINE_BYTES, type RunningHash, type SplitOptions } from './lines.ts'
export { type LogContents, LogReader, type LogSink, type LogTotals, readLog } from './log.ts'
export { meaningOf } from './meaning-of.ts'
export { nodeOf, type TreeNode } from './node.ts'
export type { Place } from './place.ts'
export { type KnownRecord, type LogRecord, type OversizeRecord, readLine, type UnknownRecord } from './record.ts'
export { type CommandRow, type RowKind, rowKind, type TreeType } from './row-kind.ts'
export { type Title, type TitleFrom, titleOf } from './title.ts'
export { type Ending, type Hunk, outcomeOf, resultText, type ToolCall, type ToolOutcome } from './tool-call.ts'
export type { ToolDetails } from './tool-details.ts'
export { diffOf, type FileDiff } from './tool-diff.ts'
export type { ToolMeaning } from './tool-meaning.ts'
export { type ToolWords, toolWords } from './tool-words.ts'
export { type Branch, buildTree, type Sidechain, type Tree, type TreeOptions } from './tree.ts'
export { type Counts, countRows, cutTurns, type Turn } from './turns.ts'
export { type CountedResponse, sumUsage, type Tokens, type UsageRow, type UsageTotal, usageRowOf } from './usage.ts'
export { UsageFold } from './usage-fold.ts'
export { NEWEST_TESTED } from './version.ts'
