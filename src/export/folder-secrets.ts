import { projectKey } from '../core/encode.ts'
import { isObject, type JsonValue } from '../core/json.ts'
import type { Redactor } from '../redact/redactor.ts'

/** A working folder, and the name that its project folder has. */
export interface ProjectFolder {
  readonly path: string | null
  readonly key: string
}

/**
 * A redactor that also knows folders whose path holds a secret. Their project folders are named after the path with other characters in
 * it (`-work-ghp-…`), in which no rule finds the secret.
 */
export function withFolderSecrets(redactor: Redactor, folders: Iterable<ProjectFolder>): Redactor {
  const names = new Map<string, string>()
  for (const { path, key } of folders) {
    const clean = path === null ? null : redactor.text(path).text
    if (clean !== null && clean !== path) names.set(key, projectKey(clean))
  }
  if (names.size === 0) return redactor
  // The longest first: a name may begin like another.
  const known = [...names].sort(([a], [b]) => b.length - a.length)
  const inText = (text: string) => known.reduce((all, [key, clean]) => all.replaceAll(key, clean), text)
  return {
    ...redactor,
    text(text) {
      const { text: clean, found } = redactor.text(text)
      return { text: inText(clean), found }
    },
    value(value) {
      const redacted = redactor.value(value)
      return { ...redacted, value: mapped(redacted.value, inText) }
    },
  }
}

/** The same value where no text changes. */
function mapped(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => mapped(item, change))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([key, field]) => {
    return [key, field === undefined ? field : mapped(field, change)] as const
  })
  return fields.some(([key, field]) => field !== value[key]) ? Object.fromEntries(fields) : value
}
