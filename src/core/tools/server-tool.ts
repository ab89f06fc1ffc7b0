import { booleanAt, fieldAt, isObject, type JsonObject, numberAt, objectAt, stringAt, textAt } from '../json.ts'
import { blocksOf, joinText, toBlocks } from '../log/content.ts'
import { endingOf, type ToolOutcome, UNANSWERED } from './tool-call.ts'
import { type Link, linksIn } from './tool-details.ts'

/** What the API answered a call that it ran itself (`server_tool_use`), from the result block of the same response. */
export function serverOutcome(toolUseId: string, row: JsonObject): ToolOutcome | undefined {
  const block = blocksOf(row).find(
    (one) => stringAt(one, 'tool_use_id') === toolUseId && stringAt(one, 'type')?.endsWith('tool_result'),
  )
  return block && outcomeOfBlock(block)
}

function outcomeOfBlock(block: JsonObject): ToolOutcome {
  const content = fieldAt(block, 'content')
  const only = isObject(content) ? content : undefined
  const links = linksIn(content)
  const isError = booleanAt(block, 'is_error') ?? stringAt(only, 'type')?.endsWith('_error') ?? false
  const exitCode = numberAt(only, 'return_code') ?? null
  const result = only ? resultText(only) : links.length > 0 ? linkLines(links) : joinText(toBlocks(content))
  return {
    ...UNANSWERED,
    result,
    isError,
    exitCode,
    outcome: endingOf(result, isError, exitCode, undefined),
    details: links.length > 0 ? { kind: 'links', links } : null,
  }
}

/** The text of a result that is one object: an error, a page that was fetched, or what a program printed. */
function resultText(content: JsonObject): string {
  const error = [textAt(content, 'error_code'), textAt(content, 'error_message')]
  const printed = [textAt(content, 'stdout'), textAt(content, 'stderr')]
  const page = textAt(objectAt(objectAt(content, 'content'), 'source'), 'data')
  return [...error, ...printed, page].filter((text) => text !== undefined).join('\n')
}

function linkLines(links: readonly Link[]): string {
  return links.map(({ title, url }) => (title === null ? url : `${title}\n${url}`)).join('\n')
}
