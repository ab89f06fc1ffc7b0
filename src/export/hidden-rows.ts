import { type JsonObject, objectAt, stringAt } from '../core/json.ts'

/**
 * A record without what the client tells the model of itself: its system prompt is not the person's to hand on. Of an
 * attachment only the text that was made of it is left out; `undefined` where nothing remains.
 */
export function withoutSystemPrompt(raw: JsonObject): JsonObject | undefined {
  const isRequest = stringAt(raw, 'type')?.startsWith('api-request-') ?? false
  if (isRequest || stringAt(objectAt(raw, 'attachment'), 'type') === 'prompt_snapshot') return undefined
  if (!Object.hasOwn(raw, 'rendered') && !Object.hasOwn(raw, 'renderedInHumanTurn')) return raw
  const { rendered: _, renderedInHumanTurn: __, ...shown } = raw
  return shown
}

/** Whether a line that is no whole record may be a part of such a one. */
export function mayBeSystemPrompt(text: string): boolean {
  return /api-request-|prompt_snapshot|"rendered/.test(text)
}
