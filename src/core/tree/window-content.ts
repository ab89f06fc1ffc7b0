import { fieldAt, type JsonObject, objectAt, objectsAt, stringAt, textAt } from '../json.ts'
import { blocksOf, joinText, textOf, toBlocks, toolResultsOf, topContent } from '../log/content.ts'
import type { RowKind } from '../log/row-kind.ts'
import { stringsIn } from '../strings-in.ts'

/** What fills a model's window, by kind. */
export const CONTENT_KINDS = [
  'memory',
  'skills',
  'files',
  'prompts',
  'answers',
  'thinking',
  'toolInput',
  'toolResults',
  'summaries',
  'attachments',
] as const

export type ContentKind = (typeof CONTENT_KINDS)[number]

/** A text that the model was given or gave. */
export interface WindowContent {
  readonly kind: ContentKind
  /** Which of its kind: a file with its scope, a call. */
  readonly name: string | null
  readonly text: string
}

/** The texts of a row that the model was given or gave; `callWords` names a call by its id. */
export function contentOf(
  kind: RowKind,
  raw: JsonObject,
  callWords: (id: string) => string | null,
): readonly WindowContent[] {
  const one = (of: ContentKind, text: string, name: string | null = null) => [{ kind: of, name, text }]
  if (kind === 'response') return responseContent(raw)
  if (kind === 'tool-result') {
    return toolResultsOf(raw).flatMap(({ toolUseId, content }) =>
      one('toolResults', joinText(content), callWords(toolUseId)),
    )
  }
  if (kind === 'compact-summary') return one('summaries', textOf(raw))
  if (kind === 'meta') return one('attachments', textOf(raw), 'notes of the client')
  if (kind === 'attachment') return attachmentContent(raw)
  if (ONLY_SHOWN.has(kind)) return []
  const prompt = joinText(toBlocks(fieldAt(objectAt(raw, 'attachment'), 'prompt')))
  return one('prompts', textOf(raw) || topContent(raw) || prompt)
}

/** What the client tells the person alone. */
const ONLY_SHOWN: ReadonlySet<RowKind> = new Set(['api-error', 'synthetic', 'compact-boundary', 'system', 'progress'])

function responseContent(raw: JsonObject): readonly WindowContent[] {
  return blocksOf(raw).flatMap((block): WindowContent[] => {
    const type = stringAt(block, 'type') ?? ''
    if (type === 'text') return [{ kind: 'answers', name: null, text: stringAt(block, 'text') ?? '' }]
    if (type === 'thinking') return [{ kind: 'thinking', name: null, text: stringAt(block, 'thinking') ?? '' }]
    if (!type.endsWith('tool_use')) return []
    return [{ kind: 'toolInput', name: stringAt(block, 'name') ?? null, text: [...stringsIn(block.input)].join('') }]
  })
}

/** What was made of an attachment for the model, else what it holds. A snapshot is no message. */
function attachmentContent(raw: JsonObject): readonly WindowContent[] {
  const attachment = objectAt(raw, 'attachment')
  const type = stringAt(attachment, 'type') ?? ''
  if (type === 'prompt_snapshot') return []
  const files = objectsAt(attachment, 'files')
  if (type === 'instructions' && files.length > 0) {
    return files.map((file) => ({ kind: 'memory', name: memoryName(file), text: stringAt(file, 'content') ?? '' }))
  }
  const given = fieldAt(raw, 'rendered') ?? fieldAt(attachment, 'content')
  const text = [...stringsIn(given)].join('')
  const path = textAt(attachment, 'displayPath') ?? textAt(attachment, 'filename') ?? textAt(attachment, 'path')
  if (MEMORY.has(type)) {
    return [{ kind: 'memory', name: memoryName({ path: path ?? type, ...objectAt(attachment, 'content') }), text }]
  }
  if (SKILLS.has(type)) return [{ kind: 'skills', name: type.replaceAll('_', ' '), text }]
  if (FILES.has(type)) return [{ kind: 'files', name: path ?? type.replaceAll('_', ' '), text }]
  return [{ kind: 'attachments', name: type.replaceAll('_', ' ') || null, text }]
}

const MEMORY = new Set(['instructions', 'nested_memory', 'relevant_memories', 'current_session_memory'])
const SKILLS = new Set(['skill_listing', 'invoked_skills', 'dynamic_skill', 'skill_discovery'])
const FILES = new Set([
  'file',
  'directory',
  'edited_text_file',
  'edited_image_file',
  'already_read_file',
  'compact_file_reference',
  'pdf_reference',
  'selected_lines_in_ide',
  'opened_file_in_ide',
  'mcp_resource',
])

/** `CLAUDE.md (Project)`: whose it is tells more than where it lies. */
function memoryName(file: JsonObject): string {
  const path = textAt(file, 'path') ?? 'CLAUDE.md'
  const scope = textAt(file, 'type')
  return scope === undefined ? path : `${path} (${scope})`
}
