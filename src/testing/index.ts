export type { BuiltFile } from './built-file.ts'
export { writeDemoRoot } from './demo-root.ts'
export { type GeneratedRoot, type GenerateOptions, generateRoot } from './generate-root.ts'
export { type FollowUpOptions, Log, type LogOptions, log, type WrittenLog } from './log.ts'
export { type ParallelCall, Steps, type SubagentSpec, type WorkflowSpec } from './recorder.ts'
export {
  type Definition,
  type HistoryEntry,
  type LiveSession,
  Root,
  root,
  type TaskFile,
} from './root.ts'
export type {
  AnswerOptions,
  ApiErrorKind,
  ApiErrorOptions,
  CommandOptions,
  CompactOptions,
  FileChange,
  InterruptOptions,
  NotificationOptions,
  PlanOptions,
  PromptOptions,
  RawPlace,
  TodoItem,
  ToolOptions,
  ToolSpec,
  Usage,
} from './steps.ts'
