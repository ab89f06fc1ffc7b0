export { RECORD_TYPES, type RecordType } from './log/record-types.ts'
export type {
  AssistantRow,
  AttachmentRow,
  ContentBlock,
  DocumentTypes,
  Envelope,
  MetadataRows,
  ProgressRow,
  RowTypes,
  SystemRow,
  Task,
  Todo,
  ToolInputs,
  ToolResultBlock,
  ToolUseBlock,
  ToolUseResult,
  Usage,
  UserRow,
} from './records/index.ts'
export { documentSchemas, recordSchemas, toolInputs } from './records/index.ts'
export type { ObjectSchema, Schema, Static } from './schema.ts'
