import type { Schema, Static } from '../schema.ts'
import { assistant } from './assistant.ts'
import { attachment } from './attachment.ts'
import { metadata } from './metadata.ts'
import { progress } from './progress.ts'
import { system } from './system.ts'
import { user } from './user.ts'

export type { AssistantRow } from './assistant.ts'
export type { AttachmentRow } from './attachment.ts'
export type { ContentBlock, ToolResultBlock, ToolUseBlock } from './content.ts'
export { type DocumentTypes, documentSchemas } from './documents.ts'
export type { Envelope } from './envelope.ts'
export type { MetadataRows } from './metadata.ts'
export type { ProgressRow } from './progress.ts'
export type { SystemRow } from './system.ts'
export type { Task, Todo } from './todo.ts'
export { type ToolInputs, toolInputs } from './tool-inputs.ts'
export type { ToolUseResult } from './tool-results.ts'
export type { Usage } from './usage.ts'
export type { UserRow } from './user.ts'

const rows = { user, assistant, system, attachment, progress, ...metadata }

/** The schema of every record type a client is known to have written. Fields that are not in it are allowed. */
export const recordSchemas: Readonly<Record<string, Schema>> = Object.freeze(Object.assign(Object.create(null), rows))

/** The row of each record type. */
export type RowTypes = { readonly [Name in keyof typeof rows]: Static<(typeof rows)[Name]> }
