import { type Static, Type } from '../schema.ts'
import { boolean, loose, nullable, optional, string, unknown, variants } from './shape.ts'

const extras = optional({ cache_control: unknown })

const text = Type.Object({ type: Type.Literal('text'), text: string, ...optional({ citations: unknown }), ...extras })
const thinking = Type.Object({ type: Type.Literal('thinking'), thinking: string, signature: string, ...extras })
const redactedThinking = Type.Object({ type: Type.Literal('redacted_thinking'), data: string, ...extras })

/** Base64 data, a URL or a file id; `data` may be a stub that begins with `unsent:`. */
const source = Type.Object({
  type: string,
  ...optional({ media_type: string, data: string, url: string, file_id: string }),
})
const image = Type.Object({ type: Type.Literal('image'), source, ...extras })
const document = Type.Object({
  type: Type.Literal('document'),
  source,
  ...optional({ title: nullable(string), context: nullable(string), citations: unknown }),
  ...extras,
})

const toolUse = Type.Object({
  type: Type.Literal('tool_use'),
  id: string,
  name: string,
  /** What the model wrote; the inputs of known tools are in `toolInputs`. */
  input: unknown,
  ...optional({ caller: unknown }),
  ...extras,
})
const serverToolUse = Type.Object({
  type: Type.Literal('server_tool_use'),
  id: string,
  name: string,
  input: unknown,
  ...optional({ caller: unknown }),
  ...extras,
})

const webSearchResult = loose({
  type: Type.Literal('web_search_result'),
  ...optional({ title: string, url: string, encrypted_content: string, page_age: nullable(string) }),
})
const webSearchToolResult = Type.Object({
  type: Type.Literal('web_search_tool_result'),
  tool_use_id: string,
  content: Type.Union([Type.Array(variants('type', [webSearchResult])), loose({ type: string })]),
  ...optional({ caller: unknown }),
  ...extras,
})

/** Blocks that the API declares and no sampled log holds: their inside is not ours to judge. */
const declared = loose({
  type: Type.Enum([
    'web_fetch_tool_result',
    'code_execution_tool_result',
    'bash_code_execution_tool_result',
    'text_editor_code_execution_tool_result',
    'tool_search_tool_result',
    'mcp_tool_use',
    'mcp_tool_result',
    'container_upload',
    'compaction',
    'fallback',
    'search_result',
  ]),
})

const toolReference = Type.Object({ type: Type.Literal('tool_reference'), tool_name: string, ...extras })

/** What a tool gave back to the model, when it is not plain text. */
const toolResultBlock = variants('type', [text, image, document, toolReference, declared])

const toolResult = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: string,
  ...optional({ content: Type.Union([string, Type.Array(toolResultBlock)]), is_error: boolean }),
  ...extras,
})

/** Any block of a message, of either role. */
export const contentBlock = variants('type', [
  text,
  thinking,
  redactedThinking,
  toolUse,
  serverToolUse,
  toolResult,
  image,
  document,
  toolReference,
  webSearchToolResult,
  declared,
])

/** One block of a message. */
export type ContentBlock = Static<typeof contentBlock>
/** A tool call, as the model made it. */
export type ToolUseBlock = Static<typeof toolUse>
/** The answer to a tool call, as the model saw it. */
export type ToolResultBlock = Static<typeof toolResult>
