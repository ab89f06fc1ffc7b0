import { nullable, type ObjectSchema, type Properties, type Schema, type Static, Type } from '../schema.ts'
import { ToolCallSchema } from '../tools/tool-schema.ts'

const text = Type.String()
const nullableText = nullable(text)
const nullableNumber = nullable(Type.Number())

function item<Kind extends string, P extends Properties>(kind: Kind, fields: P) {
  return Type.Object({ kind: Type.Literal(kind), ...fields })
}

const TextSchema = item('text', { messageId: nullableText, text })
/** Words of the model. */
export type TextItem = Readonly<Static<typeof TextSchema>>

const ThinkingSchema = item('thinking', { messageId: nullableText, text })
/** What the model thought; empty where it was not written down. */
export type ThinkingItem = Readonly<Static<typeof ThinkingSchema>>

const ToolSchema = item('tool', { messageId: nullableText, ...ToolCallSchema.properties })
/** A tool call with what came back; `meaningOf` says what it did. */
export type ToolItem = Readonly<Static<typeof ToolSchema>>

const CommandSchema = item('command', { name: text, args: text, expansion: nullableText, output: nullableText })
/** A slash command, what a custom one was expanded into, and what it printed. */
export type CommandItem = Readonly<Static<typeof CommandSchema>>

const BashSchema = item('bash', { input: text, output: nullableText })
/** A shell command that a person typed, and what it printed. */
export type BashItem = Readonly<Static<typeof BashSchema>>

const NotificationSchema = item('notification', { toolUseId: nullableText, status: nullableText, text })
/** A message from something that ran in the background. */
export type NotificationItem = Readonly<Static<typeof NotificationSchema>>

const CompactionSchema = item('compaction', {
  trigger: nullableText,
  preTokens: nullableNumber,
  postTokens: nullableNumber,
  summary: nullableText,
})
/** A place where the context was cut and summed up. */
export type CompactionItem = Readonly<Static<typeof CompactionSchema>>

const InterruptSchema = item('interrupt', { text, duringTool: Type.Boolean('A tool was running or about to') })
/** A person stopped the model. */
export type InterruptItem = Readonly<Static<typeof InterruptSchema>>

const ErrorSchema = item('error', { text })
/** A request to the API that failed. */
export type ErrorItem = Readonly<Static<typeof ErrorSchema>>

const AutomatedSchema = item('automated', { text })
/** A prompt that no person wrote. */
export type AutomatedItem = Readonly<Static<typeof AutomatedSchema>>

const AttachmentSchema = item('attachment', {
  subtype: text,
  text: Type.String('The name of what was attached, or the words of the hook'),
  isHook: Type.Boolean(),
  isError: Type.Boolean(),
})
/** A file or another thing that was put into the context, or what a hook said. */
export type AttachmentItem = Readonly<Static<typeof AttachmentSchema>>

const SystemSchema = item('system', { subtype: text, text, isError: Type.Boolean() })
/** A note of the client. */
export type SystemItem = Readonly<Static<typeof SystemSchema>>

/**
 * The kinds of items: the one statement of what stands in a turn. Types, the JSON of the commands, the terminal, the web app,
 * exports and the library derive from it.
 */
const KINDS = [
  TextSchema,
  ThinkingSchema,
  CommandSchema,
  BashSchema,
  NotificationSchema,
  CompactionSchema,
  InterruptSchema,
  ErrorSchema,
  AutomatedSchema,
  AttachmentSchema,
  SystemSchema,
  ToolSchema,
] as const

/** What stands in a turn, by its kind. The union is closed: code that shows items narrows by `kind`. */
export type ItemContent = Readonly<Static<(typeof KINDS)[number]>>

/** The fields of some properties. */
type Fields<P extends Properties> = Readonly<Static<ObjectSchema<P>>>

/** Items with fields beside their content: `All` on each of them, `Call` on tool calls too. */
type ItemWith<All, Call> = (Exclude<ItemContent, ToolItem> | (ToolItem & Call)) & All

/** The schema of all items with further fields: `all` on each of them, `call` on tool calls too. */
export function itemSchema<All extends Properties, Call extends Properties>(
  all: All,
  call: Call,
): Schema<ItemWith<Fields<All>, Fields<Call>>> {
  const members = KINDS.map((one) => {
    const { kind, ...content } = one.properties
    return Type.Object({ kind, ...all, ...content, ...(one === ToolSchema && call) })
  })
  return Type.Unsafe(Type.Union(members))
}
