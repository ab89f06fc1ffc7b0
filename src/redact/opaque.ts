import { fieldAt, type JsonObject, stringAt } from '../core/json.ts'

/**
 * Fields that no secret is looked for in, because they are no text and every change would break them: pictures and
 * documents in base64, signatures of thinking, and what the API has encrypted.
 */
export function isOpaque(owner: JsonObject, name: string, value: string): boolean {
  switch (name) {
    case 'signature':
      return stringAt(owner, 'type') === 'thinking' || fieldAt(owner, 'thinking') !== undefined
    case 'data':
      return stringAt(owner, 'type') === 'redacted_thinking' || isFile(owner, value)
    case 'base64':
      return PICTURE.test(value)
    case 'encrypted_content':
    case 'encrypted_index':
      return /^[\w+/=-]+$/.test(value)
    default:
      return false
  }
}

/** The source of a picture or a document. */
function isFile(owner: JsonObject, value: string): boolean {
  const type = stringAt(owner, 'media_type') ?? ''
  return stringAt(owner, 'type') === 'base64' && (/^(?:image|application\/pdf)/.test(type) || PICTURE.test(value))
}

/** How PNG, JPEG, GIF, WebP and PDF files begin in base64. */
const PICTURE = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi)/
