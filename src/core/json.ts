import { cutDeep, isTooDeep, SHORTEST_DEEP_TEXT } from './json-depth.ts'

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object as it came from a log: nothing about its fields is promised. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** Parses JSON. Gives `undefined` for what is not JSON, and cuts what is nested deeper than `MOST_LEVELS`. */
export function parseJson(text: string): JsonValue | undefined {
  const value = parseAnyDepth(text)
  return text.length > SHORTEST_DEEP_TEXT && isTooDeep(value) ? cutDeep(value) : value
}

/**
 * The one place in the repository where the text of a log becomes a value. It may be nested so deep that nothing may recurse over it:
 * for callers that ask `isTooDeep` themselves, as whoever writes a row again must.
 */
export function parseAnyDepth(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses JSON that will be written again: gives `undefined` also for what is nested too deep to be written as it was. */
export function parseRewritable(text: string): JsonValue | undefined {
  const value = parseAnyDepth(text)
  return text.length > SHORTEST_DEEP_TEXT && isTooDeep(value) ? undefined : value
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The field `key` of an object; `undefined` for anything else. For names that we choose: a name that comes from a log may
 * be one that every object inherits, and needs `Object.hasOwn`.
 */
export function fieldAt(value: unknown, key: string): JsonValue | undefined {
  return isObject(value) ? value[key] : undefined
}

export function stringAt(value: unknown, key: string): string | undefined {
  const field = fieldAt(value, key)
  return typeof field === 'string' ? field : undefined
}

/** A string that says something: empty counts as absent. */
export function textAt(value: unknown, key: string): string | undefined {
  return stringAt(value, key) || undefined
}

/** A finite number; a number too large for a double never enters a sum. */
export function numberAt(value: unknown, key: string): number | undefined {
  const field = fieldAt(value, key)
  return typeof field === 'number' && Number.isFinite(field) ? field : undefined
}

export function booleanAt(value: unknown, key: string): boolean | undefined {
  const field = fieldAt(value, key)
  return typeof field === 'boolean' ? field : undefined
}

export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const field = fieldAt(value, key)
  return isObject(field) ? field : undefined
}

export function arrayAt(value: unknown, key: string): readonly JsonValue[] {
  const field = fieldAt(value, key)
  return Array.isArray(field) ? field : []
}

/** The objects of an array field; whatever else stands in it is passed over. */
export function objectsAt(value: unknown, key: string): readonly JsonObject[] {
  return arrayAt(value, key).filter(isObject)
}

/** The strings of an array field. */
export function stringsAt(value: unknown, key: string): readonly string[] {
  return arrayAt(value, key).filter((item) => typeof item === 'string')
}
